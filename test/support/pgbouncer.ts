import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { eventually, query } from '../failures/support.ts';
import type { Owner } from '../lifecycle/support.ts';
import { freshDatabase } from './each-database.ts';
import { findAccount, freePort } from './postgres.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);
if (!PROGRAM) process.stderr.write('PgBouncer is not installed, its tests are left out: apt-get install pgbouncer\n');

/** Whether PgBouncer is installed on this machine. */
export const hasPgBouncer = PROGRAM !== undefined;

/** Starts PgBouncer in transaction mode for a database. Returns the URL of the database through PgBouncer. */
export async function startPgBouncer(t: Owner, target: string): Promise<string> {
  const { folder, drop } = await freshDatabase('sqlite');
  t.onTestFinished(drop);
  const { hostname, port, password, pathname } = new URL(target);
  const own = await freePort();
  const database = pathname.slice(1);
  await writeFile(join(folder, 'users'), `"postgres" "${password}"\n`);
  const lines = [
    '[databases]',
    `${database} = host=${hostname} port=${port} dbname=${database}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(folder, 'users')}`,
    'pool_mode = transaction',
    'default_pool_size = 4',
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  const child = spawn(PROGRAM ?? '', [join(folder, 'pgbouncer.ini')], { ...(await findAccount()), stdio: 'ignore' });
  t.onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  });
  const url = new URL(target);
  url.port = String(own);
  await eventually(async () => (await query(url.href, 'select 1')).length === 1);
  return url.href;
}
