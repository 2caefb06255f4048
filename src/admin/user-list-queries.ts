import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { DatabaseKind } from '../db/handle.ts';
import { defineDynamicQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { columns as userColumns } from '../users/queries.ts';

/** A text that is compared without case with usernames and with other texts. */
interface SearchedText {
  /** As in the key of a username. */
  key: string;
  /** In NFC, in any case. */
  text: string;
}

/** A filter for users. Undefined fields match all. */
export interface UserFilter {
  /** A part of the username, the full name or the e-mail address. */
  part: SearchedText | undefined;
  /** The beginning of the key of the username. */
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
/** The index has an entry for each sequence of so many characters. */
const ENTRY = 3;
/** `İ` is the only letter that has two characters in lower case. The full-text index keeps it as it is. */
const DOT_ABOVE = '\u0307';

type Users = ExpressionBuilder<Schema, 'users'>;
type Condition = Expression<SqlBool>;

const when = (isGiven: boolean, condition: () => Condition): Condition[] => (isGiven ? [condition()] : []);

/** Whether a text contains a literal part. */
const holds = (kind: DatabaseKind, text: Expression<string>, part: Expression<string>): Condition =>
  kind === 'sqlite' ? sql<SqlBool>`instr(${text}, ${part}) > 0` : sql<SqlBool>`strpos(${text}, ${part}) > 0`;

/** SQLite's own `lower` only handles ASCII letters. That of PostgreSQL depends on the locale of the database. */
const fold = (kind: DatabaseKind, text: Expression<string | null>): Expression<string> =>
  kind === 'sqlite' ? sql<string>`fold_case(${text})` : sql<string>`lower(${text})`;

/** Whether a text contains a literal part, compared without case. */
const holdsFolded = (kind: DatabaseKind, text: Expression<string | null>, part: string): Condition =>
  holds(kind, fold(kind, text), kind === 'sqlite' ? sql`${part.toLowerCase()}` : sql`lower(${part})`);

/** The name for sorting, by code point on both databases. */
const sortName = (kind: DatabaseKind) =>
  kind === 'sqlite' ? sql<string>`username_key` : sql<string>`username_key collate "C"`;

/** Whether a user is among the ids that a query finds. PostgreSQL then reads users by their ids. */
const isAmong = (kind: DatabaseKind, ids: Expression<unknown>): Condition =>
  kind === 'sqlite' ? sql<SqlBool>`users.id in ${ids}` : sql<SqlBool>`users.id = any(array${ids})`;

const hasSecondFactor = (where: Users): Condition =>
  where.exists(
    where.selectFrom('totp_factors').select('totp_factors.id').whereRef('totp_factors.user_id', '=', 'users.id'),
  );

function conditionsOf(where: Users, filter: UserFilter, kind: DatabaseKind): Condition[] {
  const { part, beginning, usernameKey, roles, isActive, app, lastLoginAfter, lastLoginBefore } = filter;
  const name = sortName(kind);
  return [
    ...(part
      ? [
          where.or([
            holds(kind, where.ref('username_key'), sql`${part.key}`),
            holdsFolded(kind, where.ref('full_name'), part.text),
            holdsFolded(kind, where.ref('email'), part.text),
          ]),
        ]
      : []),
    ...(beginning === undefined
      ? []
      : [where(name, '>=', beginning), where(name, '<', `${beginning}${LAST_CHARACTER}`)]),
    ...(usernameKey === undefined ? [] : [where('username_key', '=', usernameKey)]),
    ...(roles ? [where('role', 'in', roles)] : []),
    ...when(isActive !== undefined, () => where('deactivated_at', isActive ? 'is' : 'is not', null)),
    ...(app === undefined ? [] : [holdsFolded(kind, where.ref('allowed_apps'), JSON.stringify(app))]),
    ...when(filter.hasSecondFactor === true, () => hasSecondFactor(where)),
    ...when(filter.hasSecondFactor === false, () => where.not(hasSecondFactor(where))),
    ...(lastLoginAfter === undefined ? [] : [where('last_login_at', '>=', lastLoginAfter)]),
    ...(lastLoginBefore === undefined
      ? []
      : [where.or([where('last_login_at', 'is', null), where('last_login_at', '<', lastLoginBefore)])]),
  ];
}

/** The entries of a text in the index; none if it is too short for one. */
function entriesOf(text: string): string[] {
  const characters = [...text];
  const entries = characters.slice(ENTRY - 1).map((_, at) => characters.slice(at, at + ENTRY).join(''));
  return [...new Set(entries)].filter((entry) => !entry.includes(DOT_ABOVE));
}

const quoted = (entry: string): string => `"${entry.replaceAll('"', '""')}"`;

/** The users that have all entries of at least one of the texts. Others may have them too, in several places. */
function found(kind: DatabaseKind, texts: readonly string[]): Condition[] {
  const entries = texts.map((text) => entriesOf(text.toLowerCase()));
  if (entries.some((list) => list.length === 0)) return [];
  if (kind === 'sqlite') {
    const match = entries.map((list) => `(${list.map(quoted).join(' AND ')})`).join(' OR ');
    return [isAmong(kind, sql`(select rowid from user_search where user_search match ${match})`)];
  }
  const any = sql.join(
    texts.map((text) => sql`authsvc_trigrams(text) @> authsvc_trigrams(lower(${text}))`),
    sql` or `,
  );
  return [isAmong(kind, sql`(select user_id from user_search where ${any})`)];
}

/** The conditions with which an index finds few users among many. */
function indexedConditions(where: Users, filter: UserFilter, kind: DatabaseKind): Condition[] {
  const { part, app, roles, isActive } = filter;
  const conditions = [
    ...(part ? found(kind, [...new Set([part.key, part.text])]) : []),
    ...(app === undefined ? [] : found(kind, [JSON.stringify(app)])),
  ];
  const isFound = conditions.length > 0 || roles !== undefined || isActive === false;
  if (isFound || filter.hasSecondFactor !== true) return conditions;
  return [isAmong(kind, sql`${where.selectFrom('totp_factors').select('totp_factors.user_id')}`)];
}

/** The place of a page in the order of its column. */
function orderOf({ kind, column, isDescending, isAbsent, after }: UserPage, useIndex: boolean) {
  const direction = isDescending ? 'desc' : 'asc';
  const indexed = column === 'username' ? sortName(kind) : sql<number>`${sql.ref(column)}`;
  const plain = column === 'username' ? sql<string>`(${indexed} || '')` : sql<number>`(${indexed} + 0)`;
  const key = useIndex ? indexed : plain;
  const operator = isDescending ? sql`<` : sql`>`;
  const conditions = (where: Users): Condition[] => [
    ...when(isAbsent, () => where(column, 'is', null)),
    ...when(column === 'last_login_at' && !isAbsent, () => where(column, 'is not', null)),
    ...(after && isAbsent ? [where('id', isDescending ? '<' : '>', after.id)] : []),
    ...(after && !isAbsent ? [sql<SqlBool>`(${key}, id) ${operator} (${after.value}, ${after.id})`] : []),
  ];
  return { key, direction, conditions } as const;
}

/** The part of a filter that the index of the sort column serves. */
function filterOfColumn({ filter, column }: UserPage): Partial<UserFilter> {
  if (column === 'username') return { beginning: filter.beginning };
  if (column !== 'last_login_at') return {};
  return { lastLoginAfter: filter.lastLoginAfter };
}

const noFilter: UserFilter = {
  part: undefined,
  beginning: undefined,
  usernameKey: undefined,
  roles: undefined,
  isActive: undefined,
  app: undefined,
  hasSecondFactor: undefined,
  lastLoginAfter: undefined,
  lastLoginBefore: undefined,
};

/** The next users in the order of a column, of which those that match a filter are listed. */
export const matchingUsersOfWindow = defineDynamicQuery(
  'admin.usersOfWindow',
  (db: Kysely<Schema>, page: UserPage & { window: number }) => {
    const { kind, filter, isAbsent, limit, window } = page;
    const { key, direction, conditions } = orderOf(page, true);
    const next = db
      .selectFrom('users')
      .select('id')
      .where((where) =>
        where.and([...conditionsOf(where, { ...noFilter, ...filterOfColumn(page) }, kind), ...conditions(where)]),
      )
      .$if(!isAbsent, (query) => query.orderBy(key, direction))
      .orderBy('id', direction)
      .limit(window);
    return db
      .selectFrom('users')
      .select(userColumns)
      .where((where) => where.and([isAmong(kind, sql`${next}`), ...conditionsOf(where, filter, kind)]))
      .$if(!isAbsent, (query) => query.orderBy(key, direction))
      .orderBy('id', direction)
      .limit(limit);
  },
);

/** The users that match a filter, in the order of a column: all are found before they are sorted. */
export const matchingUsers = defineDynamicQuery('admin.users', (db: Kysely<Schema>, page: UserPage) => {
  const { kind, filter, isAbsent, limit } = page;
  const { key, direction, conditions } = orderOf(page, false);
  return db
    .selectFrom('users')
    .select(userColumns)
    .where((where) =>
      where.and([
        ...indexedConditions(where, filter, kind),
        ...conditionsOf(where, filter, kind),
        ...conditions(where),
      ]),
    )
    .$if(!isAbsent, (query) => query.orderBy(key, direction))
    .orderBy('id', direction)
    .limit(limit);
});
