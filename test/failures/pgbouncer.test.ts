import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test, vi } from 'vitest';
import type { Owner } from '../lifecycle/support.ts';
import { freshDatabase } from '../support/each-database.ts';
import { findAccount, freePort } from '../support/postgres.ts';
import { eventually, expectPromisesKept, query, startUnderLoad } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);
if (!PROGRAM) process.stderr.write('PgBouncer is not installed, its tests are left out: apt-get install pgbouncer\n');

/** PgBouncer in transaction mode before a database; gives the URL that leads through it. */
async function startPgBouncer(t: Owner, program: string, target: string): Promise<string> {
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
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], { ...(await findAccount()), stdio: 'ignore' });
  t.onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  });
  const url = new URL(target);
  url.port = String(own);
  await eventually(async () => (await query(url.href, 'select 1')).length === 1);
  return url.href;
}

test.skipIf(!PROGRAM)(
  'through PgBouncer in transaction mode, with a direct connection for the feed, everything works as without it',
  async (t) => {
    const fresh = await freshDatabase('postgres');
    t.onTestFinished(fresh.drop);
    const url = await startPgBouncer(t, PROGRAM ?? '', fresh.url);
    const { services, load } = await startUnderLoad(t, url, { settings: { DATABASE_LISTEN_URL: fresh.url } });

    await load.atLeast(8);
    await load.stop();

    expect(load.ledger.outages).toBe(0);
    await expectPromisesKept('through PgBouncer', services, load.ledger);
  },
);

test.skipIf(!PROGRAM)('without a direct connection nothing is cached, and the log says what to set', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const url = await startPgBouncer(t, PROGRAM ?? '', fresh.url);
  const { services, load } = await startUnderLoad(t, url, { isFed: false });

  await load.atLeast(4);
  await load.stop();

  for (const service of services) {
    expect(service.stdout().match(/the change feed is lost/g)).toHaveLength(1);
    expect(service.stdout()).toContain('set DATABASE_LISTEN_URL to a direct one');
    expect(service.stdout()).not.toContain('the change feed is alive');
  }
  await expectPromisesKept('through PgBouncer alone', services, load.ledger);
});
