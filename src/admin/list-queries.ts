import { listedTokenColumns } from '../api-tokens/queries.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';

interface SessionPage {
  userId: number | undefined;
  address: string | undefined;
  method: string | undefined;
  now: number;
  after: { value: number; ref: string } | undefined;
  limit: number;
}

/** Sessions that have not ended, newest first. */
export const pageOfSessions = defineDynamicQuery('admin.sessions', (db, page: SessionPage) => {
  const { userId, address, method, now, after, limit } = page;
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.ref',
      'sessions.user_id',
      'users.username',
      'sessions.method',
      'sessions.address',
      'sessions.user_agent',
      'sessions.created_at',
      'sessions.expires_at',
    ])
    .where((where) =>
      where.and([
        where('sessions.expires_at', '>', now),
        ...(userId === undefined ? [] : [where('sessions.user_id', '=', userId)]),
        ...(address === undefined ? [] : [where('sessions.address', '=', address)]),
        ...(method === undefined ? [] : [where('sessions.method', '=', method)]),
        ...(after
          ? [where(where.refTuple('sessions.created_at', 'sessions.ref'), '<', where.tuple(after.value, after.ref))]
          : []),
      ]),
    )
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.ref', 'desc')
    .limit(limit);
});

interface TokenPage {
  userId: number | undefined;
  scope: string | undefined;
  /** A beginning of a token's value that is at least as long as the stored prefix. */
  beginning: string | undefined;
  expiresBefore: number | undefined;
  after: number | undefined;
  limit: number;
}

const beginningsOf = (text: string): string[] => Array.from(text, (_character, at) => text.slice(0, at + 1));

/** API tokens, newest first. */
export const pageOfTokens = defineDynamicQuery('admin.tokens', (db, page: TokenPage) => {
  const { userId, scope, beginning, expiresBefore, after, limit } = page;
  return db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .select(listedTokenColumns)
    .select('api_tokens.user_id')
    .where((where) =>
      where.and([
        ...(userId === undefined ? [] : [where('api_tokens.user_id', '=', userId)]),
        ...(scope === undefined ? [] : [where('api_tokens.scope', '=', scope)]),
        ...(beginning === undefined ? [] : [where('api_tokens.prefix', 'in', beginningsOf(beginning))]),
        ...(expiresBefore === undefined ? [] : [where('api_tokens.expires_at', '<', expiresBefore)]),
        ...(after === undefined ? [] : [where('api_tokens.id', '<', after)]),
      ]),
    )
    .orderBy('api_tokens.id', 'desc')
    .limit(limit);
});

/** Facts about one user that are not in the user's row, for superadmins. */
export const userFacts = defineQuery('admin.userFacts', (db, { id, now }: { id: number; now: number }) =>
  db
    .selectFrom('users')
    .select((select) => [
      select
        .selectFrom('recovery_codes')
        .select((codes) => codes.fn.countAll<number>().as('count'))
        .whereRef('recovery_codes.user_id', '=', 'users.id')
        .as('recovery_codes_left'),
      select
        .selectFrom('trusted_browsers')
        .select((browsers) => browsers.fn.countAll<number>().as('count'))
        .whereRef('trusted_browsers.user_id', '=', 'users.id')
        .where('trusted_browsers.expires_at', '>', now)
        .as('trusted_browsers'),
    ])
    .where('id', '=', id),
);

/** The current role of a user. */
export const roleOfUser = defineQuery('admin.role', (db, { id }: { id: number }) =>
  db.selectFrom('users').select('role').where('id', '=', id),
);

/** A user's accounts at identity providers. */
export const connectionsOfUser = defineQuery('admin.connections', (db, { id }: { id: number }) =>
  db
    .selectFrom('provider_links')
    .select(['provider', 'account_id', 'created_at'])
    .where('user_id', '=', id)
    .orderBy('provider'),
);
