import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

/** What a link is for: the first password of a user, or a new one. */
export type LinkKind = 'invite' | 'reset';
/** Who asked for a link: an operator, or the user by mail. */
export type LinkSource = 'command' | 'mail';

interface NewLink {
  codeHash: string;
  userId: number;
  kind: LinkKind;
  source: LinkSource;
  sentTo: string | null;
  /** 1 or 0. */
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

/** A link that has not ended, and the user whom it lets in. */
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

/** Uses up a link. The row count tells whether it had not ended. */
export const consumeWelcomeLink = defineQuery(
  'welcomeLinks.consume',
  (db, { codeHash, now }: { codeHash: string; now: number }) =>
    db.deleteFrom('welcome_links').where('code_hash', '=', codeHash).where('expires_at', '>', now),
);

/** Ends the links of a user that this source has asked for. */
export const deleteWelcomeLinksOfSource = defineQuery(
  'welcomeLinks.deleteOfSource',
  (db, { userId, source }: { userId: number; source: LinkSource }) =>
    db.deleteFrom('welcome_links').where('user_id', '=', userId).where('source', '=', source),
);

export const deleteWelcomeLinksOfUser = defineQuery('welcomeLinks.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('welcome_links').where('user_id', '=', userId),
);

/** Ends the reset links that went to an address of a user. */
export const deleteSentResets = defineQuery('welcomeLinks.deleteSentResets', (db, { userId }: { userId: number }) =>
  db
    .deleteFrom('welcome_links')
    .where('user_id', '=', userId)
    .where('kind', '=', 'reset')
    .where('sent_to', 'is not', null),
);

/** Deletes some links that have ended. */
export const deleteExpiredWelcomeLinks = defineDynamicQuery(
  'welcomeLinks.deleteExpired',
  (db, { now, most }: { now: number; most: number }, kind) =>
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
