import type { Portion } from '../db/cleaning.ts';
import { invalidatingEach } from '../db/invalidation.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { DAY_MS } from '../lib/clock.ts';

const theToken = ({ id }: { id: number }) => `api_tokens ${id}`;

interface NewToken {
  userId: number;
  name: string;
  tokenHash: string;
  prefix: string;
  scope: string;
  allowedApps: string | null;
  now: number;
  expiresAt: number;
  parentId: number | null;
}

const newRow = (token: Omit<NewToken, 'expiresAt' | 'parentId'>) => ({
  user_id: token.userId,
  name: token.name,
  token_hash: token.tokenHash,
  prefix: token.prefix,
  scope: token.scope,
  allowed_apps: token.allowedApps,
  created_at: token.now,
});

export const insertToken = defineQuery('apiTokens.insert', (db, token: NewToken) =>
  db
    .insertInto('api_tokens')
    .values({ ...newRow(token), expires_at: token.expiresAt, parent_id: token.parentId })
    .returning('id'),
);

/** An unexpired token of an active user, with the current data of the user. Revoked tokens have no row. */
export const activeToken = defineQuery('apiTokens.live', (db, { hash, now }: { hash: string; now: number }) =>
  db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .select([
      'api_tokens.id',
      'api_tokens.scope',
      'api_tokens.allowed_apps as token_apps',
      'api_tokens.expires_at',
      'api_tokens.last_used_at',
      'api_tokens.user_id',
      'users.username',
      'users.full_name',
      'users.role',
      'users.allowed_apps as user_apps',
      'users.image',
    ])
    .where('api_tokens.token_hash', '=', hash)
    .where((where) => where.or([where('api_tokens.expires_at', 'is', null), where('api_tokens.expires_at', '>', now)]))
    .where('users.deactivated_at', 'is', null),
);

/** The applications and the expiry of a token that has neither been revoked nor expired. */
export const tokenReach = defineQuery('apiTokens.reach', (db, { id, now }: { id: number; now: number }) =>
  db
    .selectFrom('api_tokens')
    .select(['allowed_apps', 'expires_at'])
    .where('id', '=', id)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
);

/**
 * Records the use of a token, unless a use after `before` is already recorded. Overwrites a recorded time later than
 * `latest`, because a wrong clock must have written it.
 */
export const markTokenUsed = defineQuery(
  'apiTokens.markUsed',
  (db, { id, now, before, latest }: { id: number; now: number; before: number; latest: number }) =>
    db
      .updateTable('api_tokens')
      .set({ last_used_at: now })
      .where('id', '=', id)
      .where((where) =>
        where.or([
          where('last_used_at', 'is', null),
          where('last_used_at', '<=', before),
          where('last_used_at', '>', latest),
        ]),
      ),
);

/** How many tokens a user has (`made`), and how many are reserved (`promised`). */
export const heldTokens = defineQuery('apiTokens.held', (db, { userId, now }: { userId: number; now: number }) =>
  db.selectNoFrom((select) => [
    select
      .selectFrom('api_tokens')
      .select((value) => value.fn.countAll<number>().as('number'))
      .where('user_id', '=', userId)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
      .as('made'),
    select
      .selectFrom('api_token_reservations')
      .select((value) => value.fn.countAll<number>().as('number'))
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .as('promised'),
  ]),
);

export const insertReservation = defineQuery(
  'apiTokens.reserve',
  (db, { reference, userId, expiresAt }: { reference: string; userId: number; expiresAt: number }) =>
    db.insertInto('api_token_reservations').values({ reference, user_id: userId, expires_at: expiresAt }),
);

export const deleteReservation = defineQuery('apiTokens.endReservation', (db, { reference }: { reference: string }) =>
  db.deleteFrom('api_token_reservations').where('reference', '=', reference),
);

/** The token with this id, of any user. */
export const tokenById = defineQuery('apiTokens.byId', (db, { id }: { id: number }) =>
  db.selectFrom('api_tokens').select(['id', 'user_id']).where('id', '=', id),
);

/** The token with this hash, even if it has expired. */
export const tokenByHash = defineQuery('apiTokens.byHash', (db, { hash }: { hash: string }) =>
  db.selectFrom('api_tokens').select(['id', 'user_id']).where('token_hash', '=', hash),
);

/** A token from another system, with all data that the other system has about the token. */
interface ImportedToken extends Omit<NewToken, 'expiresAt' | 'parentId'> {
  expiresAt: number | null;
  lastUsedAt: number | null;
}

/** Adds a token from another system. Changes nothing if the token already exists. */
export const insertImportedToken = defineQuery('apiTokens.import', (db, token: ImportedToken) =>
  db
    .insertInto('api_tokens')
    .values({ ...newRow(token), expires_at: token.expiresAt, last_used_at: token.lastUsedAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
);

/** The tokens of some users, oldest first, including expired ones. */
export const tokensOfUsers = defineDynamicQuery(
  'apiTokens.ofUsers',
  (db, { userIds }: { userIds: readonly number[] }) =>
    db
      .selectFrom('api_tokens')
      .select(['user_id', 'name', 'token_hash', 'prefix', 'scope', 'allowed_apps'])
      .select(['created_at', 'expires_at', 'last_used_at'])
      .where('user_id', 'in', userIds)
      .orderBy('id'),
);

/** Deletes a token and all tokens that it approved, directly or through other tokens. */
export const deleteTokenFamily = invalidatingEach(
  defineQuery('apiTokens.deleteFamily', (db, { id }: { id: number }) =>
    db
      .withRecursive('family', (cte) =>
        cte
          .selectFrom('api_tokens')
          .select('api_tokens.id')
          .where('api_tokens.id', '=', id)
          .union(
            cte
              .selectFrom('api_tokens')
              .innerJoin('family', 'family.id', 'api_tokens.parent_id')
              .select('api_tokens.id'),
          ),
      )
      .deleteFrom('api_tokens')
      .where('id', 'in', (where) => where.selectFrom('family').select('family.id'))
      .returning(['id', 'user_id', 'scope', 'expires_at']),
  ),
  theToken,
);

/** The columns that lists of tokens need, including the applications of the token's user. */
export const listedTokenColumns = [
  'api_tokens.id',
  'users.username',
  'users.allowed_apps as user_apps',
  'api_tokens.name',
  'api_tokens.prefix',
  'api_tokens.scope',
  'api_tokens.allowed_apps as token_apps',
  'api_tokens.created_at',
  'api_tokens.last_used_at',
  'api_tokens.expires_at',
  'api_tokens.parent_id',
] as const;

/** The tokens of all users or of one user, oldest first, including expired ones. */
export const listTokens = defineDynamicQuery('apiTokens.list', (db, { userId }: { userId: number | undefined }) =>
  db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .select(listedTokenColumns)
    .$if(userId !== undefined, (query) => query.where('api_tokens.user_id', '=', userId ?? 0))
    .orderBy('api_tokens.id'),
);

/** The ids of a user's tokens that have not expired, newest first. */
export const activeTokenIds = defineQuery(
  'apiTokens.activeIds',
  (db, { userId, now }: { userId: number; now: number }) =>
    db
      .selectFrom('api_tokens')
      .select('id')
      .where('user_id', '=', userId)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
      .orderBy('id', 'desc'),
);

/** Counts over the tokens of all users, as of `now`. `recent` is the start of the last 30 days. */
export const tokenNumbers = defineQuery('apiTokens.numbers', (db, { now, recent }: { now: number; recent: number }) =>
  db
    .selectFrom('api_tokens')
    .select((value) => [
      value.fn.countAll<number>().as('total'),
      value.fn.count<number>(value.case().when('expires_at', '<=', now).then(value.lit(1)).end()).as('expired'),
      value.fn.count<number>(value.case().when('expires_at', 'is', null).then(value.lit(1)).end()).as('never_expiring'),
      value.fn
        .count<number>(value.case().when('last_used_at', '>', recent).then(value.lit(1)).end())
        .as('used_recently'),
      value.fn.count<number>('user_id').distinct().as('users'),
    ]),
);

export const tokensByScope = defineQuery('apiTokens.byScope', (db) =>
  db
    .selectFrom('api_tokens')
    .select((value) => ['scope', value.fn.countAll<number>().as('number')])
    .groupBy('scope'),
);

/** How long expired tokens still appear in lists and counts. */
const EXPIRED_KEPT_MS = 90 * DAY_MS;

/** Deletes some tokens that expired long ago. Each call deletes only a few, so that other queries do not have to wait. */
export const deleteExpiredTokens = defineDynamicQuery(
  'apiTokens.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db.deleteFrom('api_tokens').where(
      'id',
      'in',
      db
        .selectFrom('api_tokens')
        .select('id')
        .where('expires_at', '<=', now - EXPIRED_KEPT_MS)
        .limit(most)
        .$call(skipLocked(kind)),
    ),
);

/** Deletes reservations whose tokens were not fetched in time. */
export const deleteExpiredReservations = defineDynamicQuery(
  'apiTokens.deleteExpiredReservations',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('api_token_reservations')
      .where(
        'reference',
        'in',
        db
          .selectFrom('api_token_reservations')
          .select('reference')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);
