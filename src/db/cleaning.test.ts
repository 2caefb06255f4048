import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../../test/support/each-database.ts';
import { DAY_MS, HOUR_MS } from '../lib/clock.ts';
import { type Cleaner, clean, type Portion, retention, startCleaning } from './cleaning.ts';
import type { Database } from './handle.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { defineDynamicQuery } from './query.ts';

const OVER = 1000;

/** Deletes waiting sign-ins that expired before `now`. */
const deleteOld: Cleaner = defineDynamicQuery('test.deleteOld', (db, { now, most }: Portion) =>
  db
    .deleteFrom('second_steps')
    .where('id', 'in', db.selectFrom('second_steps').select('id').where('expires_at', '<=', now).limit(most)),
);

/** Returns two processes' handles on one database that has `over` expired rows and three others. */
async function twoProcesses(kind: DatabaseKind, over: number): Promise<[Database, Database]> {
  const fresh = await freshDatabase(kind);
  const open = () => openDatabase(fresh.url, { max: 3, isPatient: true, onTrouble: () => undefined });
  const databases: [Database, Database] = [await open(), await open()];
  onTestFinished(async () => {
    for (const database of databases) await database.close();
    await fresh.drop();
  });
  await migrate(databases[0]);
  await fill(databases[0], over);
  return databases;
}

async function fill({ kysely }: Database, over: number): Promise<void> {
  const user = { username: 'ada', username_key: 'ada', full_name: '', role: 'normaluser', allowed_apps: '[]' };
  const rest = { image: '', password_hash: '', created_at: 1 };
  const { id: user_id } = await kysely
    .insertInto('users')
    .values({ ...user, ...rest })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: over + 3 }, (_, index) => ({
    id: `step-${index}`,
    user_id,
    method: 'password',
    redirect: '/',
    attempts_left: 5,
    expires_at: index < over ? OVER - 1 : OVER + 1,
  }));
  for (let at = 0; at < rows.length; at += 300)
    await kysely
      .insertInto('second_steps')
      .values(rows.slice(at, at + 300))
      .execute();
}

const count = async ({ kysely }: Database) => (await kysely.selectFrom('second_steps').select('id').execute()).length;

/** Returns a cleaner, and a list of the number of rows that each of its runs deleted. */
function recorded(before: () => Promise<void> = async () => undefined) {
  const portions: number[] = [];
  const run: Cleaner['run'] = async (handle, params) => {
    await before();
    const removed = await deleteOld.run(handle, params);
    portions.push(removed);
    return removed;
  };
  return { cleaner: { ...deleteOld, run }, portions };
}

const now = () => OVER;

eachDatabase('the deletion of expired rows', (kind) => {
  test('expired rows are deleted in portions, and no other row is deleted', async () => {
    const [database] = await twoProcesses(kind, 241);
    const { cleaner, portions } = recorded();

    await clean({ database, now }, [cleaner, cleaner]);

    expect(portions).toEqual([100, 100, 41, 0]);
    expect(await count(database)).toBe(3);
  });

  test('while expired rows are deleted, the process is free for other work between two portions', async () => {
    const [database] = await twoProcesses(kind, 241);
    const { cleaner, portions } = recorded();
    const seen = new Set<number>();
    const timer = setInterval(() => seen.add(portions.length), 1);

    await clean({ database, now }, [cleaner]);
    clearInterval(timer);

    expect([...seen]).toEqual(expect.arrayContaining([1, 2]));
  });

  test('no further portion is deleted once the process stops', async () => {
    const [database] = await twoProcesses(kind, 241);
    const { cleaner, portions } = recorded();

    await clean({ database, now }, [cleaner, cleaner], { goesOn: () => portions.length < 1 });

    expect(portions).toEqual([100]);
  });
});

test('on PostgreSQL, an expired row is left to the process that is already cleaning', async () => {
  const [first, second] = await twoProcesses('postgres', 140);
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let hasBegun = false;
  const ofFirst = recorded(async () => {
    hasBegun = true;
    await held;
  });
  const ofSecond = recorded();
  const working = clean({ database: first, now }, [ofFirst.cleaner]);
  await expect.poll(() => hasBegun).toBe(true);

  await clean({ database: second, now }, [ofSecond.cleaner]);
  goOn();
  await working;

  expect(ofSecond.portions).toEqual([]);
  expect(ofFirst.portions).toEqual([100, 40]);
  expect(await count(second)).toBe(3);
});

test('on PostgreSQL, a process whose clock is ahead deletes no row early', async () => {
  const [database] = await twoProcesses('postgres', 5);
  const valid = { expires_at: Date.now() + HOUR_MS };
  await database.kysely.updateTable('second_steps').set(valid).where('expires_at', '>', OVER).execute();
  const { cleaner, portions } = recorded();

  const stop = startCleaning(
    { database, now: () => Date.now() + 30 * DAY_MS, onFailure: (error) => expect(error).toBeUndefined() },
    [cleaner],
    retention(0),
  );
  onTestFinished(async () => stop());

  await expect.poll(() => portions).toEqual([5]);
  expect(await count(database)).toBe(3);
});
