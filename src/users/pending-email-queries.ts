import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface PendingEmail {
  userId: number;
  email: string;
  emailKey: string;
  /** The hash of the code in the link that confirms the address; null if no link was sent. */
  codeHash: string | null;
  /** When an address that is still unconfirmed is deleted; null if it is never deleted. */
  expiresAt: number | null;
}

export const insertPendingEmail = defineQuery('pendingEmails.insert', (db, pending: PendingEmail) =>
  db.insertInto('pending_emails').values({
    user_id: pending.userId,
    email: pending.email,
    email_key: pending.emailKey,
    code_hash: pending.codeHash,
    expires_at: pending.expiresAt,
  }),
);

/** Reads the address that a user has not confirmed yet. */
export const pendingEmailOfUser = defineQuery(
  'pendingEmails.ofUser',
  (db, { userId, now }: { userId: number; now: number }) =>
    db
      .selectFrom('pending_emails')
      .select('email')
      .where('user_id', '=', userId)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
);

/** Reads the addresses that several users have not confirmed yet. */
export const pendingEmailsOfUsers = defineDynamicQuery(
  'pendingEmails.ofUsers',
  (db, { userIds, now }: { userIds: readonly number[]; now: number }) =>
    db
      .selectFrom('pending_emails')
      .select(['user_id', 'email'])
      .where('user_id', 'in', userIds)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
);

/** Finds the address that a link confirms, and its active user. */
export const openEmailLink = defineQuery(
  'pendingEmails.open',
  (db, { codeHash, now }: { codeHash: string; now: number }) =>
    db
      .selectFrom('pending_emails')
      .innerJoin('users', 'users.id', 'pending_emails.user_id')
      .select(['users.id as user_id', 'users.username', 'pending_emails.email', 'pending_emails.email_key'])
      .where('code_hash', '=', codeHash)
      .where('expires_at', '>', now)
      .where('users.deactivated_at', 'is', null),
);

/** Uses up a link. Returns a row count of 0 if it is no longer valid. */
export const consumeEmailLink = defineQuery(
  'pendingEmails.consume',
  (db, { codeHash, now }: { codeHash: string; now: number }) =>
    db.deleteFrom('pending_emails').where('code_hash', '=', codeHash).where('expires_at', '>', now),
);

/** Deletes the address that a user has not confirmed. Returns a row count of 0 if there is none. */
export const deletePendingEmail = defineQuery('pendingEmails.delete', (db, { userId }: { userId: number }) =>
  db.deleteFrom('pending_emails').where('user_id', '=', userId),
);

/**
 * Deletes the address that a user has not confirmed, if a link was sent for it. After that, the link is no longer
 * valid.
 */
export const deleteEmailLink = defineQuery('pendingEmails.deleteLink', (db, { userId }: { userId: number }) =>
  db.deleteFrom('pending_emails').where('user_id', '=', userId).where('code_hash', 'is not', null),
);

/** Deletes some addresses that were not confirmed in time. */
export const deleteExpiredPendingEmails = defineDynamicQuery(
  'pendingEmails.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('pending_emails')
      .where(
        'user_id',
        'in',
        db
          .selectFrom('pending_emails')
          .select('user_id')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);
