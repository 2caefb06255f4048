import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { columns as userColumns } from '../users/queries.ts';

interface Account {
  provider: string;
  accountId: string;
}

/** Finds the user to whom a provider account is linked, with the user's current data. */
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

/**
 * Links a provider account to a user. Changes nothing if the account is already linked, or the user already has an
 * account at this provider.
 */
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

/** Lists the links of all users or of one user, by username and provider. */
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

/** Lists the links of several users. */
export const linksOfUsers = defineDynamicQuery('links.ofUsers', (db, { userIds }: { userIds: readonly number[] }) =>
  db
    .selectFrom('provider_links')
    .select(['user_id', 'provider', 'account_id'])
    .where('user_id', 'in', userIds)
    .orderBy('provider'),
);

/** Marks a started sign-in as used. Changes nothing if it is already marked. */
export const insertConsumedState = defineQuery(
  'consumedStates.insert',
  (db, { stateHash, expiresAt }: { stateHash: string; expiresAt: number }) =>
    db
      .insertInto('spent_starts')
      .values({ state_hash: stateHash, expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing()),
);

/**
 * Deletes the marks of used sign-ins after the sign-ins have expired. Such a mark is no longer needed, because an
 * expired sign-in is refused anyway.
 */
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
