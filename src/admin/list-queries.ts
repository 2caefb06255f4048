import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { listedTokenColumns } from '../api-tokens/queries.ts';
import type { DatabaseKind } from '../db/handle.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { columns as userColumns } from '../users/queries.ts';

/** A filter for users. Undefined fields match all. */
export interface UserFilter {
  /** A part of the username, the full name or the e-mail address, or the beginning of the username; in lower case. */
  part: string | undefined;
  beginning: string | undefined;
  usernameKey: string | undefined;
  roles: readonly string[] | undefined;
  isActive: boolean | undefined;
  /** In lower case. */
  app: string | undefined;
  hasSecondFactor: boolean | undefined;
  /** Milliseconds; included. */
  lastLoginAfter: number | undefined;
  /** Milliseconds; not included. Also finds users who never signed in. */
  lastLoginBefore: number | undefined;
}

interface UserPage {
  kind: DatabaseKind;
  filter: UserFilter;
  column: 'username' | 'created_at' | 'last_login_at';
  isDescending: boolean;
  /** Only users without a value of `column`, by their ids. */
  isAbsent: boolean;
  after: { value: string | number | null; id: number } | undefined;
  limit: number;
}

const LAST_CHARACTER = '\u{10FFFF}';

type Users = ExpressionBuilder<Schema, 'users'>;

/** Whether a text contains a literal part, compared without case. */
const holds = (kind: DatabaseKind, text: Expression<string>, part: string): Expression<SqlBool> =>
  kind === 'sqlite' ? sql<SqlBool>`instr(${text}, ${part}) > 0` : sql<SqlBool>`strpos(${text}, ${part}) > 0`;

/** SQLite's own `lower` only handles ASCII letters. */
const fold = (kind: DatabaseKind, text: Expression<string | null>): Expression<string> =>
  kind === 'sqlite' ? sql<string>`fold_case(${text})` : sql<string>`lower(${text})`;

/** The name for sorting, by code point on both databases. */
const sortName = (kind: DatabaseKind) =>
  kind === 'sqlite' ? sql<string>`username_key` : sql<string>`username_key collate "C"`;

function conditionsOf(where: Users, filter: UserFilter, kind: DatabaseKind): Expression<SqlBool>[] {
  const { part, beginning, usernameKey, roles, isActive, app, hasSecondFactor, lastLoginAfter, lastLoginBefore } =
    filter;
  const name = sortName(kind);
  const secondFactor = where.exists(
    where.selectFrom('totp_factors').select('totp_factors.id').whereRef('totp_factors.user_id', '=', 'users.id'),
  );
  return [
    ...(part === undefined
      ? []
      : [
          where.or([
            holds(kind, where.ref('username_key'), part),
            holds(kind, fold(kind, where.ref('full_name')), part),
            holds(kind, fold(kind, where.ref('email')), part),
          ]),
        ]),
    ...(beginning === undefined
      ? []
      : [where(name, '>=', beginning), where(name, '<', `${beginning}${LAST_CHARACTER}`)]),
    ...(usernameKey === undefined ? [] : [where('username_key', '=', usernameKey)]),
    ...(roles ? [where('role', 'in', roles)] : []),
    ...(isActive === undefined ? [] : [where('deactivated_at', isActive ? 'is' : 'is not', null)]),
    ...(app === undefined ? [] : [holds(kind, fold(kind, where.ref('allowed_apps')), JSON.stringify(app))]),
    ...(hasSecondFactor === undefined ? [] : [hasSecondFactor ? secondFactor : where.not(secondFactor)]),
    ...(lastLoginAfter === undefined ? [] : [where('last_login_at', '>=', lastLoginAfter)]),
    ...(lastLoginBefore === undefined
      ? []
      : [where.or([where('last_login_at', 'is', null), where('last_login_at', '<', lastLoginBefore)])]),
  ];
}

/** Users in the order of one column, then of their ids. */
export const pageOfUsers = defineDynamicQuery('admin.users', (db: Kysely<Schema>, page: UserPage) => {
  const { kind, filter, column, isDescending, isAbsent, after, limit } = page;
  const direction = isDescending ? 'desc' : 'asc';
  const key = column === 'username' ? sortName(kind) : sql<number>`${sql.ref(column)}`;
  const operator = isDescending ? sql`<` : sql`>`;
  const isBehind = after && sql<SqlBool>`(${key}, id) ${operator} (${after.value}, ${after.id})`;
  return db
    .selectFrom('users')
    .select(userColumns)
    .where((where) =>
      where.and([
        ...conditionsOf(where, filter, kind),
        ...(isAbsent ? [where(column, 'is', null)] : []),
        ...(column === 'last_login_at' && !isAbsent ? [where(column, 'is not', null)] : []),
        ...(after && isAbsent ? [where('id', isDescending ? '<' : '>', after.id)] : []),
        ...(isBehind && !isAbsent ? [isBehind] : []),
      ]),
    )
    .$if(!isAbsent, (query) => query.orderBy(key, direction))
    .orderBy('id', direction)
    .limit(limit);
});

interface SessionPage {
  userId: number | undefined;
  address: string | undefined;
  method: string | undefined;
  now: number;
  after: { value: number; ref: string } | undefined;
  limit: number;
}

/** Sessions that have not ended, the newest first. */
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
  expiresBefore: number | undefined;
  after: number | undefined;
  limit: number;
}

/** API tokens, the newest first. */
export const pageOfTokens = defineDynamicQuery('admin.tokens', (db, page: TokenPage) => {
  const { userId, scope, expiresBefore, after, limit } = page;
  return db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .select(listedTokenColumns)
    .select('api_tokens.user_id')
    .where((where) =>
      where.and([
        ...(userId === undefined ? [] : [where('api_tokens.user_id', '=', userId)]),
        ...(scope === undefined ? [] : [where('api_tokens.scope', '=', scope)]),
        ...(expiresBefore === undefined ? [] : [where('api_tokens.expires_at', '<', expiresBefore)]),
        ...(after === undefined ? [] : [where('api_tokens.id', '<', after)]),
      ]),
    )
    .orderBy('api_tokens.id', 'desc')
    .limit(limit);
});

/** The data of one user for a superadmin, besides the user's row. */
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

/** The role that a user has now. */
export const roleOfUser = defineQuery('admin.role', (db, { id }: { id: number }) =>
  db.selectFrom('users').select('role').where('id', '=', id),
);

/** The provider accounts of a user. */
export const connectionsOfUser = defineQuery('admin.connections', (db, { id }: { id: number }) =>
  db
    .selectFrom('provider_links')
    .select(['provider', 'account_id', 'created_at'])
    .where('user_id', '=', id)
    .orderBy('provider'),
);
