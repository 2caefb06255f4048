import { spawnSync } from 'node:child_process';
import { chmod, chown, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test, vi } from 'vitest';
import { canMount, smallDisk } from '../failures/small-disk.ts';
import { query } from '../failures/support.ts';
import { canRun, makeDatabase, type Owner } from '../lifecycle/support.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { prepare, runDoctor } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

const canMountHere = await canMount();
/** An account without rights. Only root can switch to it. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0 && canRun(NOBODY);
const hasSqlite = spawnSync('sqlite3', ['-version']).status === 0;

describe('with an SQLite file, the doctor', () => {
  test.skipIf(!canMountHere)('measures the free space on the disk', async (t) => {
    const disk = await smallDisk(t, 3000);
    const place = { folder: disk.folder, url: `sqlite:${join(disk.folder, 'authsvc.sqlite')}` };
    await makeDatabase(t, place);
    const ballast = join(disk.folder, 'room');
    const leave = async (megabytes: number) => {
      await writeFile(ballast, '');
      const used = spawnSync('fallocate', ['-l', `${3000 - 2 - megabytes}M`, ballast]);
      expect(used.status).toBe(0);
      const report = await runDoctor(t, place);
      await truncate(ballast, 0);
      return report;
    };

    const roomy = await runDoctor(t, place);
    const low = await leave(270);
    const full = await leave(150);

    expect(roomy.notOk).not.toHaveProperty('disk');
    expect([low.notOk.disk, full.notOk.disk]).toEqual(['warning', 'failed']);
    expect(full.wordsOf('disk')).toMatch(/^Only 1\d\d MiB \(\d\.\d %\) are free.*Make room/);
  });

  test.skipIf(!isRoot)('names the owner of files that its account cannot use', async (t) => {
    const place = await prepare(t, 'sqlite');
    await chmod(place.folder, 0o755);
    const as = (account: typeof NOBODY) => runDoctor(t, { ...place, account });

    const foreign = await as(NOBODY);
    for (const name of await readdir(place.folder)) await chown(join(place.folder, name), NOBODY.uid, NOBODY.gid);
    await chown(place.folder, NOBODY.uid, NOBODY.gid);
    const own = await as(NOBODY);

    expect(foreign.notOk).toMatchObject({ 'data-folder': 'failed', database: 'failed' });
    expect(foreign.wordsOf('data-folder')).toMatch(/belongs to root.*chown/);
    expect(own.notOk).not.toHaveProperty('data-folder');
  });

  test.skipIf(!hasSqlite)('finds missing triggers and tables', async (t) => {
    const place = await prepare(t, 'sqlite');
    const run = (text: string) => spawnSync('sqlite3', [join(place.folder, 'authsvc.sqlite'), text]);

    run('drop trigger audit_events_refuse_update');
    const untriggered = await runDoctor(t, place);
    run('drop table reset_mails');
    const incomplete = await runDoctor(t, place);

    expect([untriggered.notOk.database, incomplete.notOk.database]).toEqual(['failed', 'failed']);
    expect(untriggered.wordsOf('database')).toContain('audit_events_refuse_update');
    expect(incomplete.wordsOf('database')).toMatch(/reset_mails.*audit_events_refuse_update.*Restore a backup/);
  });

  test('finds a file that is not a database', async (t) => {
    const place = await prepare(t, 'sqlite');
    await writeFile(join(place.folder, 'authsvc.sqlite'), 'not a database at all '.repeat(500));

    const report = await runDoctor(t, place);

    expect(report.notOk).toMatchObject({ database: 'failed', migrations: 'skipped' });
    expect(report.wordsOf('database')).toContain('not an SQLite database');
  });

  test.skipIf(!hasSqlite)('finds a database of a newer version', async (t) => {
    const place = await prepare(t, 'sqlite');
    const newer = "insert into kysely_migration values ('9999-of-tomorrow', '2099-01-01')";
    spawnSync('sqlite3', [join(place.folder, 'authsvc.sqlite'), newer]);

    const report = await runDoctor(t, place);

    expect(report.notOk).toMatchObject({ migrations: 'failed', clock: 'skipped' });
    expect(report.wordsOf('migrations')).toMatch(/newer version.*9999-of-tomorrow.*Install/);
  });
});

/**
 * Creates a PostgreSQL user with the rights that the statements grant, and returns settings with that user. DATABASE in a
 * statement is replaced by the name of the database.
 */
async function asVisitor(t: Owner, url: string, ...statements: string[]): Promise<Record<string, string>> {
  const database = new URL(url).pathname.slice(1);
  const name = `visitor_${database}`;
  const fill = (text: string) => text.replaceAll('VISITOR', name).replaceAll('DATABASE', database);
  await query(url, fill("create role VISITOR login password 'visitor'"));
  t.onTestFinished(async () => {
    await query(url, fill('drop owned by VISITOR; drop role VISITOR'));
  });
  for (const statement of statements) await query(url, fill(statement));
  return { DATABASE_URL: Object.assign(new URL(url), { username: name, password: 'visitor' }).href };
}

const ALL = 'grant select, insert, update, delete on all tables in schema public to VISITOR';

describe('with PostgreSQL, the doctor', () => {
  test.skipIf(!hasPgBouncer)(
    'finds a pooler that loses notifications, unless there is a direct connection',
    async (t) => {
      const place = await prepare(t, 'postgres');
      const through = await startPgBouncer(t, place.url);
      const settings = { ...place.settings, DATABASE_URL: through };

      const pooled = await runDoctor(t, { ...place, settings });
      const direct = await runDoctor(t, { ...place, settings: { ...settings, DATABASE_LISTEN_URL: place.url } });

      expect(pooled.notOk['change-feed']).toBe('failed');
      expect(pooled.wordsOf('change-feed')).toMatch(/pooler.*DATABASE_LISTEN_URL/);
      expect(direct.notOk).not.toHaveProperty('change-feed');
    },
  );

  test('finds a database that is read-only, or lacks rights or triggers', async (t) => {
    const place = await prepare(t, 'postgres');
    const examine = async (settings: Record<string, string>) =>
      runDoctor(t, { ...place, settings: { ...place.settings, ...settings } });
    const visitor = await asVisitor(t, place.url, ALL);

    const allowed = await examine(visitor);
    const name = new URL(visitor.DATABASE_URL ?? '').username;
    await query(place.url, `revoke delete on sessions from ${name}`);
    const unable = await examine(visitor);
    await query(place.url, 'alter table users disable trigger authsvc_tell_update');
    const silent = await examine({});
    await query(place.url, 'alter table users enable trigger authsvc_tell_update');
    await query(
      place.url,
      `grant delete on sessions to ${name}; alter role ${name} set default_transaction_read_only = on`,
    );
    const readOnly = await examine(visitor);

    expect(allowed.notOk).not.toHaveProperty('database');
    expect(unable.wordsOf('database')).toMatch(
      /may not select, insert, update and delete in sessions.*Grant these rights/,
    );
    expect(silent.wordsOf('database')).toContain('users.authsvc_tell_update');
    expect(readOnly.wordsOf('database')).toMatch(/can only be read.*Name the server that takes writes/);
    expect([unable, silent, readOnly].map(({ notOk }) => notOk.database)).toEqual(['failed', 'failed', 'failed']);
  });

  test('warns if the server allows fewer connections than the service may open', async (t) => {
    const place = await prepare(t, 'postgres');
    const visitor = await asVisitor(t, place.url, ALL, 'alter role VISITOR connection limit 9');
    const settings = { ...place.settings, ...visitor };

    const few = await runDoctor(t, { ...place, settings });
    const enough = await runDoctor(t, { ...place, settings: { ...settings, DATABASE_POOL_MAX: '8' } });

    expect(few.notOk.database).toBe('warning');
    expect(few.wordsOf('database')).toMatch(
      /allows 9 connections, and the service may open 11\. Lower DATABASE_POOL_MAX/,
    );
    expect(enough.notOk).not.toHaveProperty('database');
  });
});
