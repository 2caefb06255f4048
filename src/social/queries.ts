import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { columns as userColumns } from '../users/queries.ts';

interface Account {
  provider: string;
  accountId: string;
}

/** The user to whom an account is linked, with current data. */
export const userOfAccount = defineQuery('links.user', (db, { provider, accountId }: Account) =>
  db
    .selectFrom('users')
    .select(userColumns)
    .where(
      'id',
      '=',
      db
        .selectFrom('provider_links')
        .select('user_id')
        .where('provider', '=', provider)
        .where('account_id', '=', accountId),
    ),
);

/** Links an account to a user; changes nothing if either of them is already linked. */
export const insertLink = defineQuery(
  'links.insert',
  (db, { provider, accountId, userId, now }: Account & { userId: number; now: number }) =>
    db
      .insertInto('provider_links')
      .values({ provider, account_id: accountId, user_id: userId, created_at: now })
      .onConflict((conflict) => conflict.doNothing()),
);

export const deleteLink = defineQuery(
  'links.delete',
  (db, { provider, userId }: { provider: string; userId: number }) =>
    db
      .deleteFrom('provider_links')
      .where('provider', '=', provider)
      .where('user_id', '=', userId)
      .returning('account_id'),
);

/** The links of all users, or of one, by username and provider. */
export const listLinks = defineDynamicQuery('links.list', (db, { userId }: { userId: number | undefined }) =>
  db
    .selectFrom('provider_links')
    .innerJoin('users', 'users.id', 'provider_links.user_id')
    .select([
      'provider_links.provider',
      'provider_links.account_id',
      'provider_links.user_id',
      'provider_links.created_at',
      'users.username',
    ])
    .$if(userId !== undefined, (query) => query.where('provider_links.user_id', '=', userId ?? 0))
    .orderBy('users.username_key')
    .orderBy('provider_links.provider'),
);

/** The links of some users. */
export const linksOfUsers = defineDynamicQuery('links.ofUsers', (db, { userIds }: { userIds: readonly number[] }) =>
  db
    .selectFrom('provider_links')
    .select(['user_id', 'provider', 'account_id'])
    .where('user_id', 'in', userIds)
    .orderBy('provider'),
);

/** Uses up a start; changes nothing if it is already used. */
export const insertConsumedState = defineQuery(
  'consumedStates.insert',
  (db, { stateHash, expiresAt }: { stateHash: string; expiresAt: number }) =>
    db
      .insertInto('spent_starts')
      .values({ state_hash: stateHash, expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing()),
);

/** Deletes some used starts that have expired. Their expiry refuses them from then on. */
export const deleteExpiredConsumedStates = defineDynamicQuery(
  'consumedStates.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('spent_starts')
      .where(
        'state_hash',
        'in',
        db
          .selectFrom('spent_starts')
          .select('state_hash')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);
