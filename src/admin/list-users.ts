import type { Handle } from '../db/handle.ts';
import { toUser, type User, type UserRow } from '../users/user.ts';
import { keyOf, parseUsername } from '../users/username.ts';
import { fromCursor, ListParameters, type ListQuery, type Position, toCursor } from './list-query.ts';
import { matchingUsers, matchingUsersOfWindow, type UserFilter } from './user-list-queries.ts';

const sorts = ['username', '-username', 'created_at', '-created_at', 'last_login_at', '-last_login_at'] as const;

/** A shorter text is matched only with the beginning of usernames, because it is part of too many names. */
const MIN_PART = 3;
/** How many users are looked at in the order of the list, before an index has to find all that match the filter. */
const WINDOW = 2000;

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
  const part = text === undefined ? undefined : { text, key: keyOf(text) };
  const isShort = text !== undefined && [...text].length < MIN_PART;
  return {
    filter: {
      part: isShort ? undefined : part,
      beginning: isShort ? part?.key : undefined,
      usernameKey: username === undefined ? undefined : (parseUsername(username)?.key ?? ''),
      roles: parameters.choices('role', roles),
      isActive: parameters.boolean('is_active'),
      app: parameters.text('app')?.toLowerCase(),
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

type Parts = Parameters<typeof matchingUsers.all>[1];

/**
 * The users that match a filter, after a place in the list.
 *
 * A filter that many users match finds enough among the next ones of the list. Of one that few users match, an index
 * finds all. So the cost depends neither on the number of users nor on what a planner knows about them.
 */
async function readMatching(handle: Handle, parts: Parts): Promise<UserRow[]> {
  const { limit, filter } = parts;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const near = await matchingUsersOfWindow.all(handle, { ...parts, window: isFiltered ? WINDOW : limit });
  return near.length === limit || !isFiltered ? near : matchingUsers.all(handle, parts);
}

/** The users of a page: those with a value in the sort column, then those without. */
async function readPage(handle: Handle, { filter, sort }: UserListing, { after, limit }: Page): Promise<UserRow[]> {
  const column = columnOf(sort);
  const parts = { kind: handle.kind, filter, column, isDescending: sort.startsWith('-') } as const;
  const place = after && { value: after.value, id: Number(after.id) };
  const isAmongAbsent = after !== undefined && after.value === null;
  const present = isAmongAbsent ? [] : await readMatching(handle, { ...parts, isAbsent: false, after: place, limit });
  const left = limit - present.length;
  if (column !== 'last_login_at' || left === 0) return present;
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
