import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface PendingEmail {
  userId: number;
  email: string;
  emailKey: string;
  /** Null: no link confirms it. */
  codeHash: string | null;
  /** Null: it does not expire. */
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

/** The address that a user has not confirmed yet. */
export const pendingEmailOfUser = defineQuery(
  'pendingEmails.ofUser',
  (db, { userId, now }: { userId: number; now: number }) =>
    db
      .selectFrom('pending_emails')
      .select('email')
      .where('user_id', '=', userId)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
);

/** The addresses that some users have not confirmed yet. */
export const pendingEmailsOfUsers = defineDynamicQuery(
  'pendingEmails.ofUsers',
  (db, { userIds, now }: { userIds: readonly number[]; now: number }) =>
    db
      .selectFrom('pending_emails')
      .select(['user_id', 'email'])
      .where('user_id', 'in', userIds)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
);

/** The address that a link confirms, and its active user. */
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

/** Uses up a link. The row count says whether it was still valid. */
export const consumeEmailLink = defineQuery(
  'pendingEmails.consume',
  (db, { codeHash, now }: { codeHash: string; now: number }) =>
    db.deleteFrom('pending_emails').where('code_hash', '=', codeHash).where('expires_at', '>', now),
);

/** Forgets the address that a user has not confirmed. The row count says whether there was one. */
export const deletePendingEmail = defineQuery('pendingEmails.delete', (db, { userId }: { userId: number }) =>
  db.deleteFrom('pending_emails').where('user_id', '=', userId),
);

/** Ends the link that would confirm an address of a user, and forgets the address. */
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
