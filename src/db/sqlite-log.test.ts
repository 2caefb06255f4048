import { createHook } from 'node:async_hooks';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from './handle.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { defineQuery } from './query.ts';
import { BUSY_TIMEOUT_MS, Connection } from './sqlite-connection.ts';
import { WriteAheadLog } from './sqlite-log.ts';

let folder = '';
let file = '';
let database: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authsvc-log-'));
  file = join(folder, 'a.sqlite');
  database = await openDatabase(`sqlite:${file}`, { max: 1, isPatient: false, onTrouble: () => undefined });
  await migrate(database);
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Counts the file operations that the process runs outside its event loop during `work`. */
async function countFileRequests(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'FSREQPROMISE') count += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

const spend = defineQuery<{ key: string }, unknown>('test.spend', (db, { key }) =>
  db.insertInto('spent_starts').values({ state_hash: key, expires_at: 0 }),
);
const find = defineQuery<{ key: string }, { expires_at: number }>('test.find', (db, { key }) =>
  db.selectFrom('spent_starts').select('expires_at').where('state_hash', '=', key),
);

test('a write waits for the disk, alone or in a transaction, and a read does not', async () => {
  expect(await countFileRequests(() => spend.run(database, { key: 'alone' }))).toBe(1);
  expect(await countFileRequests(() => database.transaction((tx) => spend.run(tx, { key: 'together' })))).toBe(1);
  expect(await countFileRequests(() => find.first(database, { key: 'alone' }))).toBe(0);
  expect(await countFileRequests(() => database.ping())).toBe(0);
});

test('writes during a sync share the next sync, because the connection is free in the meantime', async () => {
  const keys = Array.from({ length: 40 }, (_none, index) => `at once ${index}`);
  const count = await countFileRequests(() =>
    Promise.all(keys.map((key) => database.transaction((tx) => spend.run(tx, { key })))),
  );
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(40);
  for (const key of keys) expect(await find.first(database, { key })).toBeDefined();
});

test('an unsynced write does not wait for the disk, and other connections see it at once', async () => {
  const write = () => spend.run(database.unsynced, { key: 'unsynced' });
  expect(await countFileRequests(write)).toBe(0);
  const other = new DatabaseSync(file);
  expect(other.prepare("select state_hash from spent_starts where state_hash = 'unsynced'").all()).toHaveLength(1);
  other.close();
  expect(await countFileRequests(() => spend.run(database, { key: 'synced' }))).toBe(1);
});

test('if the log cannot be synced, each call tries the fallback (`rescue`) until one succeeds', async () => {
  const rescues: string[] = [];
  let works = false;
  const failures: unknown[] = [];
  const log = new WriteAheadLog('/dev/null', {
    rescue: async () => {
      rescues.push(works ? 'done' : 'failed');
      if (!works) throw new Error('no rescue');
    },
    onFailure: (error) => failures.push(error),
  });
  await expect(log.toDisk()).rejects.toThrow('no rescue');
  await expect(Promise.allSettled([log.toDisk(), log.toDisk(), log.toDisk()])).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  works = true;
  await log.toDisk();
  expect(rescues).toEqual(['failed', 'failed', 'failed', 'done']);
  expect(failures).toEqual([expect.objectContaining({ code: 'EINVAL', syscall: 'fdatasync' })]);
  await log.close();
});

test('a checkpoint empties the log, but fails while another process reads an older state; closing does not wait for that process', async () => {
  const connection = new Connection(file, { isReadOnly: false });
  const reader = new DatabaseSync(file);
  reader.exec('begin');
  reader.prepare('select count(*) from spent_starts').get();
  await connection.executeQuery(CompiledQuery.raw("insert into spent_starts values ('of the rescue', 0)"));
  expect(() => connection.checkpoint()).toThrow('the database is in use');
  const begin = performance.now();
  new Connection(file, { isReadOnly: false }).close();
  expect(performance.now() - begin).toBeLessThan(BUSY_TIMEOUT_MS / 2);
  reader.exec('commit');
  connection.checkpoint();
  expect((await stat(`${file}-wal`)).size).toBe(0);
  expect(await find.first(database, { key: 'of the rescue' })).toBeDefined();
  reader.close();
  connection.close();
});

test('only the owner can read and write the files of a new database', async () => {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
});
