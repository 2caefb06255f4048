import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { listUsers, readUserListing } from '../../src/admin/list-users.ts';
import type { Handle } from '../../src/db/handle.ts';
import { eachDatabase } from '../support/each-database.ts';
import { sharedApp } from './support.ts';

// The tests compare hundreds of lists.
vi.setConfig({ testTimeout: 240_000 });

/**
 * How many users there are. This is more than the list reads in its own order before it uses an index, and more than
 * the list reads and sorts if a condition matches them.
 */
const CROWD = 3400;
const DAY_MS = 86_400_000;
/** How many entries of a list are compared. */
const MANY = 400;
const sorts = ['-created_at', 'username', 'last_login_at', '-last_login_at'];
const NOW = Date.parse('2026-06-01');

const iso = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

interface Row {
  name: string;
  fullName: string;
  role: string;
  apps: string[];
  isActive: boolean;
  hasFactor: boolean;
  loginAt: number | null;
}

/** Returns the user with the number `n`. Only the users with the highest numbers have rare values. */
const row = (n: number): Row => ({
  name: `u${String(n).padStart(5, '0')}`,
  fullName: n > CROWD - 30 ? 'Ada Rare' : `One ${n % 9 === 0 ? 'Ninth' : 'Other'}`,
  role: n > CROWD - 40 || n % 500 === 0 ? 'auditor' : 'normaluser',
  apps: n > CROWD - 50 ? ['wiki'] : ['authsvc'],
  isActive: n <= CROWD - 60 && n % 400 !== 0,
  hasFactor: n <= CROWD - 70,
  loginAt: n % 11 === 0 ? null : NOW - (n > CROWD - 80 ? 900 : n % 300) * DAY_MS,
});
const rows = Array.from({ length: CROWD }, (_, at) => row(at + 1));

const filters: [query: [string, string], matches: (row: Row) => boolean][] = [
  [['q', 'RARE'], ({ fullName }) => fullName.includes('Rare')],
  [['q', 'one ninth'], ({ fullName }) => fullName.includes('Ninth')],
  [['q', 'u0'], () => true],
  [['role', 'auditor'], ({ role }) => role === 'auditor'],
  [['role', 'normaluser'], ({ role }) => role === 'normaluser'],
  [['app', 'WIKI'], ({ apps }) => apps.includes('wiki')],
  [['app', 'authsvc'], ({ apps }) => apps.includes('authsvc')],
  [['is_active', 'true'], ({ isActive }) => isActive],
  [['is_active', 'false'], ({ isActive }) => !isActive],
  [['second_factor', 'true'], ({ hasFactor }) => hasFactor],
  [['second_factor', 'false'], ({ hasFactor }) => !hasFactor],
  [['last_login_after', iso(3)], ({ loginAt }) => loginAt !== null && loginAt >= NOW - 3 * DAY_MS],
  [['last_login_before', iso(800)], ({ loginAt }) => loginAt === null || loginAt < NOW - 800 * DAY_MS],
  [['last_login_before', iso(3)], ({ loginAt }) => loginAt === null || loginAt < NOW - 3 * DAY_MS],
];
const pairs = filters.flatMap((one, at) =>
  filters.slice(at).flatMap((other) => (one === other || one[0][0] !== other[0][0] ? [[one, other] as const] : [])),
);

const listingOf = (query: Record<string, string>) => readUserListing(query, ['normaluser', 'superadmin', 'auditor']);

/** Returns the usernames, without that of the first superadmin. */
const namesOf = (users: readonly { username: string }[]): string[] =>
  users.map(({ username }) => username).filter((name) => name !== 'superadmin');

/**
 * Returns the usernames of a whole list. Reads the list as a single page. The page is so large that the service uses
 * the indexes of the filters.
 */
async function readWhole(handle: Handle, query: Record<string, string>): Promise<string[]> {
  return namesOf((await listUsers(handle, listingOf(query), { after: undefined, limit: CROWD })).users);
}

/** Returns the usernames at the start of a list. */
async function walk(handle: Handle, query: Record<string, string>): Promise<string[]> {
  const listing = listingOf(query);
  const found: string[] = [];
  let after: string | null | undefined;
  while (after !== null && found.length < MANY) {
    const { users, next } = await listUsers(handle, listing, { after, limit: 200 });
    found.push(...namesOf(users));
    after = next;
  }
  return found.slice(0, MANY);
}

async function fill(handle: Handle): Promise<void> {
  for (let from = 0; from < CROWD; from += 200) {
    const values = rows.slice(from, from + 200).map(
      ({ name, fullName, role, apps, isActive, loginAt }, at) =>
        sql`(${name}, ${name}, ${fullName}, ${role}, ${JSON.stringify(apps)}, '', '', cast(${from + at} as bigint),
          cast(${isActive ? null : 1} as bigint), cast(${loginAt} as bigint), ${name}, ${fullName.toLowerCase()}, ${JSON.stringify(apps)})`,
    );
    await sql`insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at,
      deactivated_at, last_login_at, folded_username, folded_full_name, folded_apps) values ${sql.join(values)}`.execute(
      handle.kysely,
    );
  }
  const last = rows.filter(({ hasFactor }) => hasFactor).at(-1)?.name;
  await sql`insert into totp_factors (user_id, secret, last_step, confirmed_at)
    select id, '', 0, 1 from users where username <= ${last}`.execute(handle.kysely);
}

eachDatabase('the filters of users', (database) => {
  const app = sharedApp({ database, settings: { RATE_LIMITS: 'off', env: 'dev', ROLES: 'auditor' } });

  test('find the same users as a plain comparison of all users: single filters, pairs of filters, and each order', async () => {
    const handle = app().services.database;
    await fill(handle);

    for (const [one, other] of pairs) {
      const expected = rows.filter((each) => one[1](each) && other[1](each)).map(({ name }) => name);
      for (const sort of sorts.slice(0, expected.length > MANY ? 1 : sorts.length)) {
        const query = Object.fromEntries([one[0], other[0], ['sort', sort]]);
        const found = await walk(handle, query);
        const [inOrder, wanted] =
          sort === '-created_at' ? [found, expected.toReversed().slice(0, MANY)] : [found.toSorted(), expected];
        expect(inOrder, JSON.stringify(query)).toEqual(wanted);
        expect((await readWhole(handle, query)).toSorted(), JSON.stringify(query)).toEqual(expected);
      }
    }
  });
});
