import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

/** The purpose of a link: `invite` for a user's first password, `reset` for a new password. */
export type LinkKind = 'invite' | 'reset';
/** Who requested a link: `command` is an operator, `mail` is the user on the page for a forgotten password. */
export type LinkSource = 'command' | 'mail';

interface NewLink {
  codeHash: string;
  userId: number;
  kind: LinkKind;
  source: LinkSource;
  sentTo: string | null;
  /** 1 if using the link removes the second factor, else 0. */
  removesFactor: number;
  now: number;
  expiresAt: number;
}

export const insertWelcomeLink = defineQuery('welcomeLinks.insert', (db, link: NewLink) =>
  db.insertInto('welcome_links').values({
    code_hash: link.codeHash,
    user_id: link.userId,
    kind: link.kind,
    source: link.source,
    sent_to: link.sentTo,
    removes_factor: link.removesFactor,
    created_at: link.now,
    expires_at: link.expiresAt,
  }),
);

/** Finds a valid link, and its user. */
export const openWelcomeLink = defineQuery(
  'welcomeLinks.open',
  (db, { codeHash, now }: { codeHash: string; now: number }) =>
    db
      .selectFrom('welcome_links')
      .innerJoin('users', 'users.id', 'welcome_links.user_id')
      .select(['welcome_links.kind', 'welcome_links.removes_factor', 'users.username'])
      .where('code_hash', '=', codeHash)
      .where('expires_at', '>', now),
);

/** Uses up a link. Returns a row count of 0 if it is no longer valid. */
export const consumeWelcomeLink = defineQuery(
  'welcomeLinks.consume',
  (db, { codeHash, now }: { codeHash: string; now: number }) =>
    db.deleteFrom('welcome_links').where('code_hash', '=', codeHash).where('expires_at', '>', now),
);

/** Deletes the links of a user from one source. */
export const deleteWelcomeLinksOfSource = defineQuery(
  'welcomeLinks.deleteOfSource',
  (db, { userId, source }: { userId: number; source: LinkSource }) =>
    db.deleteFrom('welcome_links').where('user_id', '=', userId).where('source', '=', source),
);

export const deleteWelcomeLinksOfUser = defineQuery('welcomeLinks.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('welcome_links').where('user_id', '=', userId),
);

/** Deletes the reset links that were mailed to a user. */
export const deleteSentResets = defineQuery('welcomeLinks.deleteSentResets', (db, { userId }: { userId: number }) =>
  db
    .deleteFrom('welcome_links')
    .where('user_id', '=', userId)
    .where('kind', '=', 'reset')
    .where('sent_to', 'is not', null),
);

/**
 * Counts the reset links that were mailed to a user after `since`. Mails after `latest` do not count, because their time
 * comes from a wrong clock.
 */
export const countResetMails = defineQuery(
  'resetMails.count',
  (db, { userId, since, latest }: { userId: number; since: number; latest: number }) =>
    db
      .selectFrom('reset_mails')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where('sent_at', '>', since)
      .where('sent_at', '<=', latest),
);

export const insertResetMail = defineQuery(
  'resetMails.insert',
  (db, { userId, now }: { userId: number; now: number }) =>
    db.insertInto('reset_mails').values({ user_id: userId, sent_at: now }),
);

/** Deletes the records of reset links that were mailed to a user before the given time. */
export const deleteOldResetMails = defineQuery(
  'resetMails.deleteOld',
  (db, { userId, before }: { userId: number; before: number }) =>
    db.deleteFrom('reset_mails').where('user_id', '=', userId).where('sent_at', '<=', before),
);

/**
 * Finds the active users with the given username or e-mail address. Leaves out users without an e-mail address, because
 * they cannot get the mail.
 */
export const usersToReset = defineQuery(
  'welcomeLinks.usersToReset',
  (db, { nameKey, emailKey }: { nameKey: string; emailKey: string }) =>
    db
      .selectFrom('users')
      .select(['id', 'username', 'email'])
      .where((where) => where.or([where('username_key', '=', nameKey), where('email_key', '=', emailKey)]))
      .where('deactivated_at', 'is', null)
      .where('email', 'is not', null)
      .orderBy('id'),
);

/** Deletes some links that are no longer valid. */
export const deleteExpiredWelcomeLinks = defineDynamicQuery(
  'welcomeLinks.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('welcome_links')
      .where(
        'code_hash',
        'in',
        db
          .selectFrom('welcome_links')
          .select('code_hash')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);
