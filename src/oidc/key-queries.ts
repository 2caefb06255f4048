import { anyRowOf } from '../db/changes.ts';
import type { Portion } from '../db/cleaning.ts';
import { invalidating } from '../db/invalidation.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { DAY_MS } from '../lib/clock.ts';

const theKeys = () => anyRowOf('oidc_keys');

export const allKeys = defineQuery('oidcKeys.all', (db) =>
  db.selectFrom('oidc_keys').selectAll().orderBy('created_at', 'desc').orderBy('id'),
);

interface NewKey {
  id: string;
  alg: string;
  publicJwk: string;
  sealedJwk: string;
  keyId: string;
  now: number;
}

export const insertKey = invalidating(
  defineQuery('oidcKeys.insert', (db, key: NewKey) =>
    db.insertInto('oidc_keys').values({
      id: key.id,
      alg: key.alg,
      public_jwk: key.publicJwk,
      sealed_jwk: key.sealedJwk,
      key_id: key.keyId,
      created_at: key.now,
      retires_at: null,
    }),
  ),
  theKeys,
);

/** Stops the current keys from signing. They stay published until `retiresAt`. */
export const retireKeys = invalidating(
  defineQuery('oidcKeys.retire', (db, { retiresAt }: { retiresAt: number }) =>
    db.updateTable('oidc_keys').set({ retires_at: retiresAt }).where('retires_at', 'is', null),
  ),
  theKeys,
);

export const deleteKeys = invalidating(
  defineQuery('oidcKeys.delete', (db) => db.deleteFrom('oidc_keys')),
  theKeys,
);

/**
 * How long retired keys are kept after they are no longer published, to verify the ID token of a sign-out request. No
 * session lasts longer.
 */
const KEPT_MS = 400 * DAY_MS;

/** Deletes up to `most` keys that are no longer needed. */
export const deleteRetiredKeys = defineDynamicQuery('oidcKeys.deleteRetired', (db, { now, most }: Portion, { kind }) =>
  db.deleteFrom('oidc_keys').where(
    'id',
    'in',
    db
      .selectFrom('oidc_keys')
      .select('id')
      .where('retires_at', '<=', now - KEPT_MS)
      .limit(most)
      .$call(skipLocked(kind)),
  ),
);
