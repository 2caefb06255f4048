import { anyRowOf } from '../db/changes.ts';
import { invalidating } from '../db/invalidation.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import type { ApplicationRow } from '../db/schema.ts';

const theRegistry = () => anyRowOf('applications');

/** The columns that an operator sets. */
export const decidedColumns = [
  'name',
  'urls',
  'redirect_uris',
  'post_logout_redirect_uris',
  'roles',
  'backchannel_logout_uri',
  'icon',
  'is_public',
  'is_third_party',
  'device_flow',
  'id_token_alg',
  'pkce_required',
] as const;

const columns = [
  ...decidedColumns,
  'id',
  'key',
  'secret_hash',
  'old_secret_hash',
  'old_secret_expires_at',
  'version',
  'created_at',
  'disabled_at',
] as const;

/** The values of the columns that an operator sets. */
export type ApplicationColumns = Pick<ApplicationRow, (typeof decidedColumns)[number]>;

interface NewApplication extends ApplicationColumns {
  key: string;
  secret_hash: string | null;
  created_at: number;
}

/** Adds an application. Returns no row if the key is taken. */
export const insertApplication = invalidating(
  defineDynamicQuery('applications.insert', (db, application: NewApplication) =>
    db
      .insertInto('applications')
      .values({ ...application, version: 1 })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning(columns),
  ),
  theRegistry,
);

export const allApplications = defineQuery('applications.all', (db) =>
  db.selectFrom('applications').select(columns).orderBy('key'),
);

export const applicationByKey = defineQuery('applications.byKey', (db, { key }: { key: string }) =>
  db.selectFrom('applications').select(columns).where('key', '=', key),
);

/** Locks an application's row until the transaction ends, and returns it. The update writes the value that is already there. */
export const lockApplication = defineQuery('applications.lock', (db, { key }: { key: string }) =>
  db
    .updateTable('applications')
    .set((value) => ({ version: value.ref('version') }))
    .where('key', '=', key)
    .returning(columns),
);

interface ChangedApplication extends Partial<ApplicationColumns> {
  id: number;
  secret_hash?: string | null;
  old_secret_hash?: string | null;
  old_secret_expires_at?: number | null;
  created_at?: number;
  disabled_at?: number | null;
}

/** Sets the given columns and increments the version. */
export const updateApplication = invalidating(
  defineDynamicQuery('applications.update', (db, { id, ...given }: ChangedApplication) =>
    db
      .updateTable('applications')
      .set((value) => ({ ...given, version: value('version', '+', 1) }))
      .where('id', '=', id)
      .returning(columns),
  ),
  theRegistry,
);

export const deleteApplication = invalidating(
  defineQuery('applications.delete', (db, { id }: { id: number }) =>
    db.deleteFrom('applications').where('id', '=', id),
  ),
  theRegistry,
);
