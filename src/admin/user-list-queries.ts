import { type Expression, type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DatabaseKind } from '../db/handle.ts';
import { defineDynamicQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { columns as userColumns } from '../users/queries.ts';

/** A filter for users. An undefined field matches all users. */
export interface UserFilter {
  /** A part of the username, the full name or the e-mail address, case-folded. */
  part: string | undefined;
  /** The beginning of a username in its normalized form: see users/username.ts. */
  beginning: string | undefined;
  usernameKey: string | undefined;
  roles: readonly string[] | undefined;
  isActive: boolean | undefined;
  /** Name of an application, case-folded. */
  app: string | undefined;
  hasSecondFactor: boolean | undefined;
  /** Milliseconds since the epoch, inclusive. */
  lastLoginAfter: number | undefined;
  /** Milliseconds since the epoch, exclusive. Also matches users who have never signed in. */
  lastLoginBefore: number | undefined;
}

interface Part {
  kind: DatabaseKind;
  filter: UserFilter;
  column: 'username' | 'created_at' | 'last_login_at';
  /** Whether to select only the users without a value in `column`. They are sorted by id. */
  isAbsent: boolean;
}

interface UserPage extends Part {
  isDescending: boolean;
  after: { value: string | number | null; id: number } | undefined;
  limit: number;
}

const LAST_CHARACTER = '\u{10FFFF}';
/** Length in characters of the sequences that the text index stores. */
const ENTRY = 3;

type Users = ExpressionBuilder<Schema, 'users'>;
type Condition = Expression<SqlBool>;

interface Id {
  id: number;
}
type Ids = RawBuilder<Id>;

const when = (isGiven: boolean, condition: () => Condition): Condition[] => (isGiven ? [condition()] : []);

/** Matches texts that contain `part`. Compares literally: `part` has no wildcards. */
const holds = (kind: DatabaseKind, text: Expression<string | null>, part: string): Condition =>
  kind === 'sqlite' ? sql<SqlBool>`instr(${text}, ${part}) > 0` : sql<SqlBool>`strpos(${text}, ${part}) > 0`;

/** Returns the column that sorts names. Both databases compare it by code point. */
const sortName = (kind: DatabaseKind) =>
  kind === 'sqlite' ? sql<string>`username_key` : sql<string>`username_key collate "C"`;

/** Matches users whose ids a subquery finds. On PostgreSQL, `any(array …)` makes the planner read users by id. */
const isAmong = (kind: DatabaseKind, ids: Expression<unknown>): Condition =>
  kind === 'sqlite' ? sql<SqlBool>`users.id in ${ids}` : sql<SqlBool>`users.id = any(array${ids})`;

/**
 * Returns a text that sorts after every text with this beginning. If the beginning ends with the final sigma ς, the bound
 * ends with σ instead. Longer words have σ at that place, and it sorts directly after ς.
 */
const endOf = (beginning: string): string => `${beginning.replace(/ς$/, 'σ')}${LAST_CHARACTER}`;

function conditionsOf(where: Users, filter: UserFilter, kind: DatabaseKind): Condition[] {
  const { part, beginning, usernameKey, roles, isActive, app, lastLoginAfter, lastLoginBefore } = filter;
  const name = sortName(kind);
  return [
    ...(part === undefined
      ? []
      : [
          where.or([
            holds(kind, where.ref('folded_username'), part),
            holds(kind, where.ref('folded_full_name'), part),
            holds(kind, where.ref('email_key'), part),
          ]),
        ]),
    ...(beginning === undefined ? [] : [where(name, '>=', beginning), where(name, '<', endOf(beginning))]),
    ...(usernameKey === undefined ? [] : [where('username_key', '=', usernameKey)]),
    ...(roles ? [where('role', 'in', roles)] : []),
    ...when(isActive !== undefined, () => where('deactivated_at', isActive ? 'is' : 'is not', null)),
    ...(app === undefined ? [] : [holds(kind, where.ref('folded_apps'), JSON.stringify(app))]),
    ...(filter.hasSecondFactor === undefined ? [] : [where('has_factor', '=', Number(filter.hasSecondFactor))]),
    ...(lastLoginAfter === undefined ? [] : [where('last_login_at', '>=', lastLoginAfter)]),
    ...(lastLoginBefore === undefined
      ? []
      : [where.or([where('last_login_at', 'is', null), where('last_login_at', '<', lastLoginBefore)])]),
  ];
}

/** Splits a text into the sequences that the index stores. Returns none if the text is shorter than one sequence. */
function entriesOf(text: string): string[] {
  const characters = [...text];
  return [...new Set(characters.slice(ENTRY - 1).map((_, at) => characters.slice(at, at + ENTRY).join('')))];
}

const quoted = (entry: string): string => `"${entry.replaceAll('"', '""')}"`;

/**
 * Finds users whose texts contain all index entries of the searched texts. The entries may be in different places of a text,
 * so not every user found matches.
 */
function idsByTexts(kind: DatabaseKind, texts: readonly string[]): Ids {
  const entries = [...new Set(texts.flatMap(entriesOf))];
  if (kind === 'postgres')
    return sql`select user_id as id from user_search where authsvc_trigrams(text) @> ${entries}::text[]`;
  return sql`select rowid as id from user_search where user_search match ${entries.map(quoted).join(' AND ')}`;
}

/** Returns the texts of a filter for which there is an index. */
const textsOf = ({ part, app }: UserFilter): string[] => [
  ...(part === undefined ? [] : [part]),
  ...(app === undefined ? [] : [JSON.stringify(app)]),
];

/** Returns a query for ids that are known already. All of them together are one parameter. */
const givenIds = (kind: DatabaseKind, ids: string): Ids =>
  kind === 'postgres'
    ? sql`select unnest(${`{${ids}}`}::bigint[]) as id`
    : sql`select value as id from json_each(${`[${ids}]`})`;

const usersWhere = (condition: RawBuilder<unknown>): Ids => sql`select id from users where ${condition}`;

/**
 * Finds users by the time of their last sign-in. Users who have never signed in match too, unless the filter has a lower
 * limit. A list that is sorted by last sign-in reads those users separately, as selected by `isAbsent`.
 */
function idsByLogin({ filter, column, isAbsent }: Part): Ids {
  const { lastLoginAfter: from = 0, lastLoginBefore: until = Number.MAX_SAFE_INTEGER } = filter;
  const never = usersWhere(sql`last_login_at is null`);
  const among = usersWhere(sql`last_login_at >= ${from} and last_login_at < ${until}`);
  if (isAbsent) return never;
  const isWithoutNever = column === 'last_login_at' || filter.lastLoginAfter !== undefined;
  return isWithoutNever ? among : sql`${never} union all ${among}`;
}

/** Returns, for each condition that has an index, a query for the ids of the matching users. Conditions can share an index. */
function idsOf(part: Part, textIds?: string) {
  const { kind, filter } = part;
  const texts = textsOf(filter);
  const { beginning, usernameKey, roles, isActive, hasSecondFactor, lastLoginAfter, lastLoginBefore } = filter;
  const name = sortName(kind);
  const beginsWith = (text: string) => usersWhere(sql`${name} >= ${text} and ${name} < ${endOf(text)}`);
  const inState = (word: 'is' | 'is not') => usersWhere(sql`deactivated_at ${sql.raw(word)} null`);
  return {
    beginning: beginning === undefined ? undefined : beginsWith(beginning),
    username: usernameKey === undefined ? undefined : usersWhere(sql`username_key = ${usernameKey}`),
    roles: roles && usersWhere(sql`role in (${sql.join(roles)})`),
    state: isActive === undefined ? undefined : inState(isActive ? 'is' : 'is not'),
    factor: hasSecondFactor === undefined ? undefined : usersWhere(sql`has_factor = ${Number(hasSecondFactor)}`),
    login: (lastLoginAfter ?? lastLoginBefore) === undefined ? undefined : idsByLogin(part),
    text: texts.length === 0 ? undefined : textIds === undefined ? idsByTexts(kind, texts) : givenIds(kind, textIds),
  };
}

/** A condition of a filter that has an index. */
export type Facet = keyof ReturnType<typeof idsOf>;

/** The users among whom a query looks for those that match a whole filter. */
export interface Candidates {
  /** Conditions whose indexes find these users: users who match all of them. Empty: all users. */
  facets: readonly Facet[];
  /** The ids that `findByText` found. With them, the query does not read the index of texts again. */
  textIds?: string | undefined;
}

interface FacetCount {
  facet: Facet;
  count: number;
}

interface Count {
  /** Counting stops above this number. */
  most: number;
}

/** Counts the users that match each condition, except the text conditions. Sorted by count, lowest first. */
export const countFacets = defineDynamicQuery(
  'admin.userFacets',
  (db: Kysely<Schema>, { most, ...part }: Part & Count) => {
    const { text: _text, ...others } = idsOf(part);
    const counts = Object.entries(others).flatMap(([name, ids]) =>
      ids ? [sql`select ${sql.lit(name)} as facet, count(*) as count from (${ids} limit ${most + 1}) as matching`] : [],
    );
    const none = sql`select null as facet, 0 as count where 1 = 0`;
    return db
      .selectFrom(sql<FacetCount>`(${sql.join([...counts, none], sql` union all `)})`.as('counts'))
      .select(['facet', 'count'])
      .orderBy('count');
  },
);

/**
 * Finds users by the texts of a filter. Returns how many it found, and their ids, separated by commas. `ids` is null if
 * it found none.
 */
export const findByText = defineDynamicQuery(
  'admin.usersByText',
  (db: Kysely<Schema>, { most, ...part }: Part & Count) =>
    db
      .selectFrom(sql<Id>`(${idsByTexts(part.kind, textsOf(part.filter))} limit ${most + 1})`.as('matching'))
      .select([
        sql<number>`count(*)`.as('count'),
        (part.kind === 'postgres'
          ? sql<string | null>`string_agg(id::text, ',')`
          : sql<string | null>`group_concat(id)`
        ).as('ids'),
      ]),
);

/** Returns the sort key, the direction and the conditions that select the rows of a page in a sort order. */
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

/** Returns those conditions of a filter that the index of the sort column can evaluate. */
function conditionsOfColumn(where: Users, { filter, column, isAbsent, kind }: UserPage): Condition[] {
  if (column === 'username') return conditionsOf(where, { ...noFilter, beginning: filter.beginning }, kind);
  if (column !== 'last_login_at' || isAbsent) return [];
  const { lastLoginAfter: from, lastLoginBefore: until } = filter;
  return [
    ...(from === undefined ? [] : [where('last_login_at', '>=', from)]),
    ...(until === undefined ? [] : [where('last_login_at', '<', until)]),
  ];
}

export const noFilter: UserFilter = {
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

/** Reads the next `window` users in the sort order and returns those of them that match the filter. */
export const matchingUsersOfWindow = defineDynamicQuery(
  'admin.usersOfWindow',
  (db: Kysely<Schema>, page: UserPage & { window: number }) => {
    const { kind, filter, isAbsent, limit, window } = page;
    const { key, direction, conditions } = orderOf(page, true);
    const next = db
      .selectFrom('users')
      .select('id')
      .where((where) => where.and([...conditionsOfColumn(where, page), ...conditions(where)]))
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

/** Reads all users that may match the filter by the indexes of some of its conditions, then filters and sorts them. */
export const matchingUsers = defineDynamicQuery(
  'admin.users',
  (db: Kysely<Schema>, page: UserPage & Candidates & { indexed: UserFilter }) => {
    const { kind, filter, isAbsent, limit, facets, textIds, indexed } = page;
    const { key, direction, conditions } = orderOf(page, false);
    const found = idsOf({ ...page, filter: indexed }, textIds);
    const ids = facets.flatMap((facet) => {
      const one = found[facet];
      return one ? sql`select id from (${one}) as ${sql.raw(facet)}` : [];
    });
    return db
      .selectFrom('users')
      .select(userColumns)
      .where((where) =>
        where.and([
          ...(ids.length > 0 ? [isAmong(kind, sql`(${sql.join(ids, sql` intersect `)})`)] : []),
          ...conditionsOf(where, filter, kind),
          ...conditions(where),
        ]),
      )
      .$if(!isAbsent, (query) => query.orderBy(key, direction))
      .orderBy('id', direction)
      .limit(limit);
  },
);
