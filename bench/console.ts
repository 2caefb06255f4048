// Measures the cost of the console's pages with many rows: `npx tsx bench/console.ts --users 1000000 --store SQLite`.
// There are ten audit events and five sessions per user.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createSealer } from '../src/lib/sealing.ts';
import { sealSessionId } from '../src/sessions/sealed-id.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { fill, postgresFiller, SESSION, sqliteFiller } from './console-rows.ts';
import { median } from './load.ts';
import { postgresMeter } from './processes.ts';
import { databaseFor, launch } from './running.ts';
import { authsvc } from './systems.ts';

const SECRET = 'session-secret-of-the-console-benchmark-0123';
const ROUNDS = 15;
/** Longer than the time for which the service caches the overview. */
const OVERVIEW_MS = 10_100;

const print = (cells: readonly unknown[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);

const API = '/authsvc/api/admin';
const pagesOf = (users: number): Record<string, string> => ({
  'users, sorted by name': '/authsvc/admin/users',
  'users, sorted by last sign-in, newest first': '/authsvc/admin/users?sort=-last_login_at',
  'users whose name contains a text: one user matches': `${API}/users?q=${users - 1}`,
  'users whose name contains a text: one in a hundred matches': `${API}/users?q=Ada%20Hop`,
  'users whose name contains a text: every user matches': `${API}/users?q=user-`,
  'users whose e-mail address contains a text, sorted by creation': `${API}/users?q=ail-${users - 2}@&sort=created_at`,
  'users whose name contains a text: no user matches': `${API}/users?q=zzzz`,
  'users whose name begins with two characters, sorted by creation': `${API}/users?q=us&sort=-created_at`,
  'users with a role that one in a thousand has': `${API}/users?role=auditor`,
  'users of an application that one in a thousand may use': `${API}/users?app=wiki`,
  'inactive users': `${API}/users?is_active=false&sort=-username`,
  'users without a second factor, one in a thousand': `${API}/users?second_factor=false`,
  'the same users, sorted by last sign-in': `${API}/users?second_factor=false&sort=-last_login_at`,
  'users with a common role and without a second factor': `${API}/users?role=normaluser&second_factor=false`,
  'active users without a second factor': `${API}/users?is_active=true&second_factor=false`,
  'users without a sign-in since 2020, sorted by creation': `${API}/users?last_login_before=2020-01-01&sort=created_at`,
  'users without a sign-in since 2020, sorted by last sign-in': `${API}/users?last_login_before=2020-01-01&sort=-last_login_at`,
  'users with a sign-in in the future and a second factor': `${API}/users?last_login_after=2100-01-01&second_factor=true`,
  'users of a common application: one name contains the text': `${API}/users?q=${users - 1}&app=authsvc`,
  'users without a recent sign-in: one name in a hundred contains the text': `${API}/users?q=Ada%20Hop&last_login_before=2020-01-01`,
  'sessions, newest first': '/authsvc/admin/sessions',
  'sessions from one IP address': `${API}/sessions?address=192.0.2.7`,
  'sessions that a rare sign-in method opened': `${API}/sessions?method=passkey`,
  'audit log': '/authsvc/admin/audit',
  'audit log, events of one user': `${API}/audit?user=user-77`,
  'audit log, a rare type of event': `${API}/audit?event=password.changed`,
  'audit log, a type of event from one IP address': `${API}/audit?event=sign_in.refused&address=192.0.2.3`,
});

const { values } = parseArgs({
  options: { users: { type: 'string', default: '100000' }, store: { type: 'string', default: 'SQLite' } },
});
const users = Number(values.users);
const kind = values.store === 'PostgreSQL' ? 'PostgreSQL' : 'SQLite';
const folder = await mkdtemp(join(tmpdir(), 'authsvc-console-'));
const server = kind === 'PostgreSQL' ? await startPostgres() : undefined;
try {
  const system = authsvc('authsvc', join(import.meta.dirname, '..'), kind);
  const url = await databaseFor(system, { folder, postgresUrl: server?.url ?? '' });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ...system.env,
    DATABASE_URL: url,
    SESSION_SECRET_KEY: SECRET,
    ROLES: 'auditor',
    RATE_LIMITS: 'admin-read=100000/60s',
  };
  await (await launch(system, env, folder)).stop();
  const filler = kind === 'SQLite' ? sqliteFiller(url) : await postgresFiller(url);
  await fill(filler, users);
  await filler.end();
  const running = await launch(system, env, folder);
  const postgres = server ? await postgresMeter(server.url) : () => 0;
  const cookie = `session_id=${sealSessionId(createSealer([SECRET]), SESSION, Date.now())}`;
  const ask = async (path: string, pauseMs = 0) => {
    const [before, stored] = [running.meter(), postgres()];
    const reply = await fetch(`http://127.0.0.1:${running.port}${path}`, { headers: { cookie } });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
    const cost = [(running.meter() - before) / 1000, (postgres() - stored) / 1000] as const;
    await wait(pauseMs);
    return cost;
  };
  const measure = async (name: string, path: string, { rounds = ROUNDS, pauseMs = 0 } = {}) => {
    await ask(path, pauseMs);
    const costs: (readonly [number, number])[] = [];
    for (let round = 0; round < rounds; round += 1) costs.push(await ask(path, pauseMs));
    const of = (at: 0 | 1) => median(costs.map((cost) => cost[at])).toFixed(1);
    print(kind === 'SQLite' ? [name, of(0)] : [name, `${of(0)} + ${of(1)}`]);
  };
  print(['page', `${kind}, CPU ms`]);
  print(['---', '---:']);
  await measure('overview', `${API}/overview`, { rounds: 3, pauseMs: OVERVIEW_MS });
  for (const [name, path] of Object.entries(pagesOf(users))) await measure(name, path);
  await running.stop();
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
