import type { Handle } from '../db/handle.ts';
import { foldText } from '../lib/fold-text.ts';
import { toUser, type User, type UserRow } from '../users/user.ts';
import { keyOf, parseUsername } from '../users/username.ts';
import { fromCursor, ListParameters, type ListQuery, type Position, toCursor } from './list-query.ts';
import {
  type Candidates,
  countFacets,
  findByText,
  matchingUsers,
  matchingUsersOfWindow,
  noFilter,
  type UserFilter,
} from './user-list-queries.ts';

const sorts = ['username', '-username', 'created_at', '-created_at', 'last_login_at', '-last_login_at'] as const;

/** Search texts shorter than this match only the beginning of usernames. Inside names they would match too many users. */
const MIN_PART = 3;
/** How many users, in list order, are compared with the filter before an index is used to find all matches. */
const WINDOW = 2000;
/**
 * Larger window. It is used if the matches in the first window suggest that a larger one fills a page, or if no index
 * narrows the search down.
 */
const WIDE_WINDOW = 10_000;
/** If a condition matches at most this many users, all of them are read and sorted. Text conditions are then not counted. */
const FEW = 3000;
/** Counting the users who match a condition stops at this number. */
const MANY = 10_000;
/**
 * If a text matches more than FEW users, and another condition matches at most this many, both indexes are used.
 * Reading the ids in both indexes takes less time than reading users whom only the text matches.
 */
const MANY_IDS = 150_000;
/** A text counts as common if at least this many users in the next window have it. */
const COMMON = 200;

/** The filter and the sort order of a list of users. */
export interface UserListing {
  filter: UserFilter;
  sort: (typeof sorts)[number];
}

/**
 * Reads the filter and the sort order of a list of users.
 *
 * @throws AppError FIELD_INVALID with the field
 */
export function readUserListing(query: ListQuery, roles: readonly string[]): UserListing {
  const parameters = new ListParameters(query);
  const text = parameters.text('q')?.normalize('NFC');
  const username = parameters.text('username');
  const app = parameters.text('app');
  const folded = text === undefined ? undefined : foldText(text);
  const isShort = text !== undefined && Math.min([...text].length, [...(folded ?? '')].length) < MIN_PART;
  return {
    filter: {
      part: isShort ? undefined : folded,
      beginning: isShort ? keyOf(text) : undefined,
      usernameKey: username === undefined ? undefined : (parseUsername(username)?.key ?? ''),
      roles: parameters.choices('role', roles),
      isActive: parameters.boolean('is_active'),
      app: app === undefined ? undefined : foldText(app),
      hasSecondFactor: parameters.boolean('second_factor'),
      lastLoginAfter: parameters.instant('last_login_after'),
      lastLoginBefore: parameters.instant('last_login_before'),
    },
    sort: parameters.choice('sort', sorts) ?? 'username',
  };
}

const columnOf = (sort: UserListing['sort']) => {
  if (sort.endsWith('created_at')) return 'created_at';
  return sort.endsWith('last_login_at') ? 'last_login_at' : 'username';
};

interface Page {
  after: Position | undefined;
  limit: number;
}

type Parts = Omit<Parameters<typeof matchingUsers.all>[1], 'facets' | 'textIds' | 'indexed'>;

/**
 * Returns the filter that an index uses. If the filter has two texts and only one is common among the next users, leaves
 * the common text out. Otherwise the index would read every user who has it.
 */
async function toIndexed(handle: Handle, parts: Parts): Promise<UserFilter> {
  const { filter } = parts;
  const { part, app } = filter;
  if (part === undefined || app === undefined) return filter;
  const isRare = async (text: Partial<UserFilter>) => {
    const sample = { ...parts, filter: { ...noFilter, ...text }, window: WINDOW, limit: COMMON };
    return (await matchingUsersOfWindow.all(handle, sample)).length < COMMON;
  };
  const [isPartRare, isAppRare] = [await isRare({ part }), await isRare({ app })];
  return {
    ...filter,
    part: isPartRare || !isAppRare ? part : undefined,
    app: isAppRare || !isPartRare ? app : undefined,
  };
}

interface CountedCandidates extends Candidates {
  /** How many users match the rarest condition. Counting stops above MANY. */
  count: number;
}

/**
 * Finds the condition that matches the fewest users, and a second one if that saves reads. Counts by text only if needed,
 * because common texts are slow to count.
 */
async function findCandidates(
  handle: Handle,
  parts: Parts,
  filter: UserFilter,
): Promise<CountedCandidates | undefined> {
  const countOthers = async (most: number) => {
    const [rarest] = await countFacets.all(handle, { ...parts, filter, most });
    return rarest && { facets: [rarest.facet], count: Number(rarest.count) };
  };
  const other = await countOthers(MANY);
  const hasText = filter.part !== undefined || filter.app !== undefined;
  if (!hasText || (other && other.count <= FEW)) return other;
  const found = await findByText.first(handle, { ...parts, filter, most: MANY });
  const count = Number(found?.count ?? 0);
  if (count > MANY) return other ?? { count, facets: ['text'] };
  const text = { count, facets: ['text'] as const, textIds: found?.ids ?? '' };
  if (!other || count <= FEW) return text;
  const second = other.count <= MANY ? other : await countOthers(MANY_IDS);
  return second && second.count <= MANY_IDS ? { ...text, facets: ['text', ...second.facets] } : text;
}

/**
 * Returns the users after a position in the list who match a filter.
 *
 * There are two ways. If many users match the filter, enough of them are among the next users in list order. If a
 * condition of the filter matches few users, its index finds them all. So the cost depends neither on the number of users
 * nor on the statistics of the database's planner. The cost grows with the number of users only in one case: each
 * condition alone matches many users, but hardly any user matches all conditions.
 */
async function readMatching(handle: Handle, parts: Parts): Promise<UserRow[]> {
  const { limit, filter } = parts;
  const lookAt = (window: number) => matchingUsersOfWindow.all(handle, { ...parts, window });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const near = await lookAt(isFiltered ? WINDOW : limit);
  if (near.length === limit || !isFiltered) return near;
  const isDense = near.length * WIDE_WINDOW >= WINDOW * limit;
  const further = isDense ? await lookAt(WIDE_WINDOW) : [];
  if (further.length === limit) return further;
  const indexed = await toIndexed(handle, parts);
  const candidates = await findCandidates(handle, parts, indexed);
  const wide = near.length === 0 && (candidates?.count ?? 0) > MANY ? await lookAt(WIDE_WINDOW) : [];
  if (wide.length === limit) return wide;
  return matchingUsers.all(handle, { ...parts, facets: [], ...candidates, indexed });
}

/** Returns the users of a page: first those with a value in the sort column, then those without. */
async function readPage(handle: Handle, { filter, sort }: UserListing, { after, limit }: Page): Promise<UserRow[]> {
  const column = columnOf(sort);
  const parts = { kind: handle.kind, filter, column, isDescending: sort.startsWith('-') } as const;
  const place = after && { value: after.value, id: Number(after.id) };
  const isAmongAbsent = after !== undefined && after.value === null;
  const present = isAmongAbsent ? [] : await readMatching(handle, { ...parts, isAbsent: false, after: place, limit });
  const left = limit - present.length;
  if (column !== 'last_login_at' || left === 0 || filter.lastLoginAfter !== undefined) return present;
  const behind = isAmongAbsent ? place : undefined;
  return [...present, ...(await readMatching(handle, { ...parts, isAbsent: true, after: behind, limit: left }))];
}

/** Returns the sort key of a username. */
const nameKey = (username: string): string => parseUsername(username)?.key ?? username;

function positionOf(user: User, sort: UserListing['sort']): Position {
  const values = { username: nameKey(user.username), created_at: user.createdAt, last_login_at: user.lastLoginAt };
  return { value: values[columnOf(sort)], id: user.id };
}

/**
 * Lists users.
 *
 * @param page after: cursor from the previous page of the same filter and sort order
 * @returns next: cursor of the next page, or null if there is none
 * @throws AppError CURSOR_INVALID
 */
export async function listUsers(
  handle: Handle,
  listing: UserListing,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ users: User[]; next: string | null }> {
  const position = fromCursor('users', listing, after);
  const rows = await readPage(handle, listing, { after: position, limit: limit + 1 });
  const users = rows.slice(0, limit).map(toUser);
  const last = users.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { users, next: hasMore ? toCursor('users', listing, positionOf(last, listing.sort)) : null };
}

const EXPORT_PAGE = 500;

/** Reads all users who match a filter, one page at a time, so that an export needs little memory. */
export async function* readUsers(handle: Handle, listing: UserListing): AsyncGenerator<User[]> {
  let after: Position | undefined;
  for (;;) {
    const users = (await readPage(handle, listing, { after, limit: EXPORT_PAGE })).map(toUser);
    if (users.length > 0) yield users;
    const last = users.at(-1);
    if (users.length < EXPORT_PAGE || !last) return;
    after = positionOf(last, listing.sort);
  }
}
