import type { Handle } from '../db/handle.ts';
import { foldText } from '../lib/fold-text.ts';
import { toUser, type User, type UserRow } from '../users/user.ts';
import { keyOf, parseUsername } from '../users/username.ts';
import { fromCursor, ListParameters, type ListQuery, type Position, toCursor } from './list-query.ts';
import { countFacets, matchingUsers, matchingUsersOfWindow, noFilter, type UserFilter } from './user-list-queries.ts';

const sorts = ['username', '-username', 'created_at', '-created_at', 'last_login_at', '-last_login_at'] as const;

/** A shorter text is matched only with the beginning of usernames, because it is part of too many names. */
const MIN_PART = 3;
/** How many users are looked at in the order of the list, before an index has to find all that match the filter. */
const WINDOW = 2000;
/** The same, where enough of the first match to expect a whole page, or where no index finds few. */
const WIDE_WINDOW = 10_000;
/** A part of a filter that so few users match needs no comparison with others: they are read and sorted at once. */
const FEW = 3000;
/** Parts of a filter are compared up to so many users. */
const MANY = 10_000;
/** So many of the next users have a text that is common. */
const COMMON = 200;

/** The filter and the order of users. */
export interface UserListing {
  filter: UserFilter;
  sort: (typeof sorts)[number];
}

/**
 * Reads filters and order of users.
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

type Parts = Omit<Parameters<typeof matchingUsers.all>[1], 'facet' | 'indexed'>;

/**
 * The filter for an index. Of two texts, it leaves one out that many of the next users have, because the index would read
 * all users who have it.
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

/** The part of a filter that the fewest users match. Texts are counted only if need be, because common ones cost much. */
async function rarestFacet(handle: Handle, parts: Parts, filter: UserFilter) {
  const count = async (isByText: boolean) => countFacets.all(handle, { ...parts, filter, most: MANY, isByText });
  const [plain] = await count(false);
  const [text] = plain && Number(plain.count) <= FEW ? [] : await count(true);
  const rarest = [plain, text].flatMap((one) => (one ? [{ ...one, count: Number(one.count) }] : []));
  return rarest.sort((one, other) => one.count - other.count)[0];
}

/**
 * The users that match a filter, after a place in the list.
 *
 * A filter that many users match finds enough among the next ones of the list. If a part of it matches few users, the
 * index of that part finds all. So the cost depends neither on the number of users nor on what a planner knows about
 * them. Only for a filter whose parts match many users each, and hardly any user together, it grows with them.
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
  const rarest = await rarestFacet(handle, parts, indexed);
  const wide = near.length === 0 && (rarest?.count ?? 0) > MANY ? await lookAt(WIDE_WINDOW) : [];
  if (wide.length === limit) return wide;
  return matchingUsers.all(handle, { ...parts, facet: rarest?.facet, indexed });
}

/** The users of a page: those with a value in the sort column, then those without. */
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

/** The sort key of a user's name. */
const nameKey = (username: string): string => parseUsername(username)?.key ?? username;

function positionOf(user: User, sort: UserListing['sort']): Position {
  const values = { username: nameKey(user.username), created_at: user.createdAt, last_login_at: user.lastLoginAt };
  return { value: values[columnOf(sort)], id: user.id };
}

/**
 * Lists users.
 *
 * @param page after: the cursor of the page before, for the same filters and order
 * @returns next: the cursor of the next page; null if there is none
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

/** Reads all users of a filter, one page at a time, so that an export needs little memory. */
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
