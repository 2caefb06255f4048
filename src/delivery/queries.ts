import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface NewRow {
  id: string;
  kind: string;
  payload: string;
  linkHash: string | null;
  emailHash: string | null;
  applicationId: number | null;
  webhookId: number | null;
  lane: string | null;
  position: number | null;
  attempts: number;
  createdAt: number;
  now: number;
  expiresAt: number;
}

export const insertMessages = defineDynamicQuery('outbox.insert', (db, { rows }: { rows: readonly NewRow[] }) =>
  db.insertInto('outbox').values(
    rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      payload: row.payload,
      link_hash: row.linkHash,
      email_hash: row.emailHash,
      application_id: row.applicationId,
      webhook_id: row.webhookId,
      lane: row.lane,
      position: row.position,
      attempts: row.attempts,
      created_at: row.createdAt,
      next_attempt_at: row.now,
      expires_at: row.expiresAt,
    })),
  ),
);

/** Whether no earlier message of its lane waits, and its webhook is not disabled. */
const hasWay = (where: ExpressionBuilder<Schema, 'outbox'>): ExpressionWrapper<Schema, 'outbox', SqlBool> =>
  where.not(
    where.or([
      where.exists(
        where
          .selectFrom('outbox as earlier')
          .select('earlier.id')
          .whereRef('earlier.lane', '=', 'outbox.lane')
          .whereRef('earlier.position', '<', 'outbox.position'),
      ),
      where.exists(
        where
          .selectFrom('webhooks')
          .select('webhooks.id')
          .whereRef('webhooks.id', '=', 'outbox.webhook_id')
          .where('webhooks.disabled_at', 'is not', null),
      ),
    ]),
  );

/** Whether no process has claimed it. A claim beyond `latest` has the time of a wrong clock, and counts for nothing. */
const isFree = (now: number, latest: number) => (where: ExpressionBuilder<Schema, 'outbox'>) =>
  where.or([where('claimed_until', '<=', now), where('claimed_until', '>', latest)]);

interface Due {
  kinds: readonly string[];
  /** The applications or webhooks that get nothing more now. */
  full: readonly number[];
  now: number;
  /** See `isFree`. */
  latest: number;
  limit: number;
}

/** Due messages of these kinds that are not claimed, have their way free, and go to nothing that is `full`. */
export const dueMessages = defineDynamicQuery('outbox.due', (db, { kinds, full, now, latest, limit }: Due) =>
  db
    .selectFrom('outbox')
    .select(['id', 'application_id', 'webhook_id'])
    .where('kind', 'in', kinds)
    .where('next_attempt_at', '<=', now)
    .where(isFree(now, latest))
    .where('expires_at', '>', now)
    .where(hasWay)
    .$if(full.length > 0, (query) =>
      query.where((where) =>
        where.and(
          (['application_id', 'webhook_id'] as const).map((target) =>
            where.or([where(target, 'is', null), where(target, 'not in', full)]),
          ),
        ),
      ),
    )
    .orderBy('next_attempt_at')
    .limit(limit),
);

interface Claim {
  id: string;
  claim: string;
}

interface NewClaim {
  ids: readonly string[];
  claim: string;
  now: number;
  until: number;
  /** See `isFree`. */
  latest: number;
}

/** Claims messages for one attempt. Returns those that no other process was faster with. */
export const claimMessages = defineDynamicQuery('outbox.claim', (db, { ids, claim, now, until, latest }: NewClaim) =>
  db
    .updateTable('outbox')
    .set({ claimed_by: claim, claimed_until: until })
    .where('id', 'in', ids)
    .where('next_attempt_at', '<=', now)
    .where(isFree(now, latest))
    .where('expires_at', '>', now)
    .where(hasWay)
    .returning(['id', 'kind', 'payload', 'attempts', 'created_at', 'expires_at', 'application_id', 'webhook_id']),
);

export const renewClaim = defineQuery('outbox.renew', (db, { id, claim, until }: Claim & { until: number }) =>
  db.updateTable('outbox').set({ claimed_until: until }).where('id', '=', id).where('claimed_by', '=', claim),
);

/** Removes a message that was sent. */
export const deleteMessage = defineQuery('outbox.delete', (db, { id, claim }: Claim) =>
  db.deleteFrom('outbox').where('id', '=', id).where('claimed_by', '=', claim),
);

/** Ends an attempt that failed. */
export const postponeMessage = defineQuery('outbox.postpone', (db, { id, claim, at }: Claim & { at: number }) =>
  db
    .updateTable('outbox')
    .set((set) => ({ attempts: set('attempts', '+', 1), next_attempt_at: at, claimed_until: 0 }))
    .where('id', '=', id)
    .where('claimed_by', '=', claim),
);

/** Releases a message for other processes, without counting an attempt. */
export const releaseMessage = defineQuery('outbox.release', (db, { id, claim }: Claim) =>
  db.updateTable('outbox').set({ claimed_until: 0 }).where('id', '=', id).where('claimed_by', '=', claim),
);

/** Makes every waiting message due now. */
export const attemptAllNow = defineDynamicQuery(
  'outbox.attemptAllNow',
  (db, { kinds, now }: { kinds: readonly string[]; now: number }) =>
    db
      .updateTable('outbox')
      .set({ next_attempt_at: now })
      .where('kind', 'in', kinds)
      .where('next_attempt_at', '>', now),
);

/** Makes the waiting messages for a webhook due now, or one of them. */
export const attemptNow = defineDynamicQuery(
  'outbox.attemptNow',
  (db, { webhookId, id, now }: { webhookId: number; id: string | undefined; now: number }) =>
    db
      .updateTable('outbox')
      .set({ next_attempt_at: now })
      .where('webhook_id', '=', webhookId)
      .$if(id !== undefined, (query) => query.where('id', '=', id ?? '')),
);

interface TakenTurn {
  name: string;
  holder: string;
  now: number;
  until: number;
  /** A turn that is held for longer has the time of a wrong clock, and counts for nothing. */
  latest: number;
}

/** Gives the turn to send to a holder, unless another one holds it. */
export const takeTurn = defineQuery('outbox.takeTurn', (db, { name, holder, now, until, latest }: TakenTurn) =>
  db
    .insertInto('outbox_turns')
    .values({ name, holder, held_until: until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((set) => ({
          holder: set.ref('excluded.holder'),
          held_until: set.ref('excluded.held_until'),
        }))
        .where((where) =>
          where.or([
            where('outbox_turns.held_until', '<=', now),
            where('outbox_turns.held_until', '>', latest),
            where('outbox_turns.holder', '=', where.ref('excluded.holder')),
          ]),
        ),
    )
    .returning('name'),
);

export const endTurn = defineQuery('outbox.endTurn', (db, { name, holder }: { name: string; holder: string }) =>
  db.updateTable('outbox_turns').set({ held_until: 0 }).where('name', '=', name).where('holder', '=', holder),
);

/** Deletes some messages that were not sent in time. */
export const deleteExpiredMessages = defineDynamicQuery(
  'outbox.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('outbox')
      .where(
        'id',
        'in',
        db.selectFrom('outbox').select('id').where('expires_at', '<=', now).limit(most).$call(skipLocked(kind)),
      ),
);

/** The address of a user, and whether the user is active. */
export const addressOfUser = defineQuery('outbox.addressOfUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('users').select(['email', 'deactivated_at']).where('id', '=', userId),
);
