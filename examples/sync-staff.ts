// Updates the users of authsvc to match a list of staff:
//   AUTHSVC_TOKEN=tok_… npx tsx examples/sync-staff.ts https://auth.example.com staff.csv
// The list is a CSV file with a header row and the columns username, full_name, email and apps (keys separated by spaces).
// The program adds people who are new in the list and prints an invitation link for each. It updates users whose data differs,
// and deactivates users who are not in the list. It does not change superadmins. A second run with the same list changes nothing.
// AUTHSVC_TOKEN is an API token that belongs to a superadmin and has the scope `admin`.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { type Admin, AdminError, createAdmin } from 'authsvc-client/admin';

type Person = Record<string, string>;

/** Parses CSV (RFC 4180). Returns one object per row, whose keys are the names in the header row. */
function parseCsv(text: string): Person[] {
  const rows: string[][] = [[]];
  const cells = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g;
  for (const [, cell = '', end] of text.replace(/^\uFEFF/, '').matchAll(cells)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  const [head = [], ...others] = rows.filter((row) => row.join('') !== '');
  return others.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const fieldsOf = ({ full_name = '', email = '', apps = '' }: Person) => ({
  full_name,
  email: email || null,
  allowed_apps: apps.split(' ').filter(Boolean),
  is_active: true,
});

async function add(admin: Admin, person: Person): Promise<void> {
  const { user } = await admin.call('POST /users', { username: person.username ?? '', ...fieldsOf(person) });
  const { link } = await admin.call('POST /users/:id/invite', { id: user.id });
  say(`added ${user.username}: ${link}`);
}

async function sync(admin: Admin, staff: readonly Person[]): Promise<void> {
  const missing = new Map(staff.map((person) => [person.username?.toLowerCase(), person]));
  for await (const user of admin.all('GET /users', { limit: 200 })) {
    const person = missing.get(user.username.toLowerCase());
    missing.delete(user.username.toLowerCase());
    if (user.role === 'superadmin') continue;
    const { id, version } = user;
    const change = person ? fieldsOf(person) : { is_active: false };
    const { user: after } = await admin.call('PATCH /users/:id', { id, version, ...change });
    if (after.version !== version) say(`${person ? 'changed' : 'deactivated'} ${user.username}`);
  }
  for (const person of missing.values()) await add(admin, person);
}

/** Reads the list. Rejects an empty list and rows without a username, because they would deactivate every user. */
async function readStaff(file: string): Promise<Person[]> {
  const staff = parseCsv(await readFile(file, 'utf8'));
  if (staff.length === 0 || staff.some(({ username }) => !username))
    throw new Error(`${file} must have a header row, and a username in each row below it.`);
  return staff;
}

const [server = '', file] = process.argv.slice(2);
try {
  if (file === undefined) throw new Error('Usage: AUTHSVC_TOKEN=tok_… npx tsx examples/sync-staff.ts URL STAFF.csv');
  const admin = createAdmin({ server, token: process.env.AUTHSVC_TOKEN ?? '' });
  await sync(admin, await readStaff(file));
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const field = error instanceof AdminError && error.field ? ` (${error.field})` : '';
  process.stderr.write(`${error.message}${field}\n`);
  process.exitCode = 1;
}
