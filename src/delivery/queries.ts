import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface NewRow {
  id: string;
  kind: string;
  payload: string;
  linkHash: string | null;
  emailHash: string | null;
  applicationId: number | null;
  now: number;
  expiresAt: number;
}

export const insertMessage = defineQuery('outbox.insert', (db, row: NewRow) =>
  db.insertInto('outbox').values({
    id: row.id,
    kind: row.kind,
    payload: row.payload,
    link_hash: row.linkHash,
    email_hash: row.emailHash,
    application_id: row.applicationId,
    created_at: row.now,
    next_attempt_at: row.now,
    expires_at: row.expiresAt,
  }),
);

/** The next due message of these kinds that is not claimed and goes to no application that is `full`. */
export const dueMessage = defineDynamicQuery(
  'outbox.due',
  (db, { kinds, full, now }: { kinds: readonly string[]; full: readonly number[]; now: number }) =>
    db
      .selectFrom('outbox')
      .select('id')
      .where('kind', 'in', kinds)
      .where('next_attempt_at', '<=', now)
      .where('claimed_until', '<=', now)
      .where('expires_at', '>', now)
      .$if(full.length > 0, (query) =>
        query.where((where) =>
          where.or([where('application_id', 'is', null), where('application_id', 'not in', full)]),
        ),
      )
      .orderBy('next_attempt_at')
      .limit(1),
);

interface Claim {
  id: string;
  claim: string;
}

/** Claims a message for one attempt. Returns nothing if another process was faster. */
export const claimMessage = defineQuery(
  'outbox.claim',
  (db, { id, claim, now, until }: Claim & { now: number; until: number }) =>
    db
      .updateTable('outbox')
      .set({ claimed_by: claim, claimed_until: until })
      .where('id', '=', id)
      .where('next_attempt_at', '<=', now)
      .where('claimed_until', '<=', now)
      .where('expires_at', '>', now)
      .returning(['id', 'kind', 'payload', 'attempts', 'created_at', 'expires_at', 'application_id']),
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
