import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../../test/support/each-database.ts';
import type { Database, ObservedQuery } from './handle.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { defineDynamicQuery, defineListQuery, defineQuery } from './query.ts';

interface NewUser {
  name: string;
  at: number | null;
}

const insertUser = defineQuery('test.insertUser', (db, { name, at }: NewUser) =>
  db
    .insertInto('users')
    .values({
      username: name,
      username_key: name,
      full_name: '',
      role: 'normaluser',
      allowed_apps: '[]',
      image: '',
      password_hash: '',
      created_at: 1,
      last_login_at: at,
    })
    .onConflict((conflict) => conflict.column('username_key').doNothing()),
);

const usersSince = defineQuery('test.usersSince', (db, { at, name }: { at: number; name: string }) =>
  db
    .selectFrom('users')
    .select(['username', 'last_login_at'])
    .where('last_login_at', '>=', at)
    .where('username', '!=', name)
    .orderBy('id'),
);

const forgetLogins = defineQuery('test.forgetLogins', (db, { name }: { name: string }) =>
  db
    .updateTable('users')
    .set({ last_login_at: null })
    .where('username', '=', name)
    .where('last_login_at', 'is not', null),
);

const deleteUsers = defineQuery('test.deleteUsers', (db, { name }: { name: string }) =>
  db.deleteFrom('users').where('username', '=', name).returning('username'),
);

const setLogins = defineListQuery('test.setLogins', 'names', (db, { names, at }: { names: string[]; at: number }) =>
  db.updateTable('users').set({ last_login_at: at }).where('username', 'in', names),
);

const addTurns = defineListQuery(
  'test.addTurns',
  'turns',
  (db, { turns }: { turns: { name: string; until: number }[] }) =>
    db.insertInto('outbox_turns').values(turns.map(({ name, until }) => ({ name, holder: 'x', held_until: until }))),
);

async function emptyDatabase(kind: DatabaseKind, watched: ObservedQuery[] = []): Promise<Database> {
  const fresh = await freshDatabase(kind);
  const database = await openDatabase(fresh.url, {
    max: 5,
    isPatient: true,
    onTrouble: () => undefined,
    observe: () => ({
      watch: (query, run) => {
        watched.push(query);
        return run();
      },
    }),
  });
  onTestFinished(async () => {
    await database.close();
    await fresh.drop();
  });
  await migrate(database);
  return database;
}

eachDatabase('a query that is defined once', (kind) => {
  test('a query gets its own values in each call, each value in its place', async () => {
    const database = await emptyDatabase(kind);
    await insertUser.run(database, { name: 'ada', at: 10 });
    await insertUser.run(database, { name: 'bea', at: 20 });
    await insertUser.run(database, { name: 'cleo', at: null });

    expect(await usersSince.all(database, { at: 10, name: 'bea' })).toEqual([{ username: 'ada', last_login_at: 10 }]);
    expect(await usersSince.all(database, { at: 11, name: 'ada' })).toEqual([{ username: 'bea', last_login_at: 20 }]);
    expect(await usersSince.first(database, { at: 21, name: '' })).toBeUndefined();
    expect(await usersSince.first(database, { name: 'nobody', at: 0 })).toEqual({ username: 'ada', last_login_at: 10 });
  });

  test('a query returns how many rows it changed, so only one of several concurrent inserts succeeds', async () => {
    const database = await emptyDatabase(kind);

    expect(await insertUser.run(database, { name: 'ada', at: 10 })).toBe(1);
    expect(await insertUser.run(database, { name: 'ada', at: 20 })).toBe(0);
    expect(await forgetLogins.run(database, { name: 'ada' })).toBe(1);
    expect(await forgetLogins.run(database, { name: 'ada' })).toBe(0);
    const races = await Promise.all([1, 2, 3, 4, 5].map(() => insertUser.run(database, { name: 'bea', at: 1 })));
    expect(races.sort()).toEqual([0, 0, 0, 0, 1]);
  });

  test('a query treats any text only as a value, never as SQL', async () => {
    const database = await emptyDatabase(kind);
    const names = ["' or 1=1 --", '$1', '?', '\\', '"', 'ü🐎', ';drop table users'];

    for (const name of names) await insertUser.run(database, { name, at: 5 });

    const found = await usersSince.all(database, { at: 5, name: '' });
    expect(found.map(({ username }) => username)).toEqual(names);
  });

  test('a text with a NUL finds and changes nothing, because no database stores such a text whole', async () => {
    const database = await emptyDatabase(kind);
    await insertUser.run(database, { name: 'ada', at: 10 });

    expect(await forgetLogins.run(database, { name: 'ada\0' })).toBe(0);
    expect(await deleteUsers.all(database, { name: '\0ada' })).toEqual([]);
  });

  test('a query returns instants as numbers, even above 32 bits', async () => {
    const database = await emptyDatabase(kind);
    const at = Date.UTC(2999, 0, 1);
    await insertUser.run(database, { name: 'ada', at });

    expect(await usersSince.first(database, { at, name: '' })).toEqual({ username: 'ada', last_login_at: at });
  });

  test('a query has no effect if its transaction fails', async () => {
    const database = await emptyDatabase(kind);

    const failing = database.transaction(async (tx) => {
      await insertUser.run(tx, { name: 'ada', at: 1 });
      expect(await usersSince.all(tx, { at: 0, name: '' })).toHaveLength(1);
      throw new Error('on purpose');
    });

    await expect(failing).rejects.toThrow('on purpose');
    expect(await usersSince.all(database, { at: 0, name: '' })).toEqual([]);
  });

  test('the observer sees the name and values of each query, also in a transaction', async () => {
    const watched: ObservedQuery[] = [];
    const database = await emptyDatabase(kind, watched);

    await database.transaction((tx) => insertUser.run(tx, { name: 'ada', at: 7 }));
    await usersSince.all(database, { at: 3, name: 'x' });

    expect(watched.map(({ name }) => name)).toEqual(['test.insertUser', 'test.usersSince']);
    expect(watched[1]).toMatchObject({ values: [3, 'x'], params: { at: 3, name: 'x' } });
    expect(watched[0]?.values).toContain(7);
    expect(watched[1]?.sql).toMatch(/^select/);
  });
});

eachDatabase('a query whose text varies', (kind) => {
  const namesOf = defineDynamicQuery('test.namesOf', (db, { names }: { names: string[] | undefined }) =>
    db
      .selectFrom('users')
      .select('username')
      .$if(names !== undefined, (query) => query.where('username', 'in', names ?? []))
      .orderBy('username'),
  );

  test('a dynamic query is compiled for the parameters of each call', async () => {
    const database = await emptyDatabase(kind);
    for (const name of ['ada', 'bea', 'cleo']) await insertUser.run(database, { name, at: 1 });

    expect(await namesOf.all(database, { names: ['bea', 'ada'] })).toHaveLength(2);
    expect(await namesOf.all(database, { names: ['cleo'] })).toEqual([{ username: 'cleo' }]);
    expect(await namesOf.all(database, { names: undefined })).toHaveLength(3);
  });
});

test('on SQLite, a write that returns rows waits for another process that is writing', async () => {
  const database = await emptyDatabase('sqlite');
  const other = new DatabaseSync(database.place.file ?? '');
  onTestFinished(() => other.close());
  await insertUser.run(database, { name: 'ada', at: 5 });
  other.exec('begin immediate');

  const [names] = await Promise.all([
    deleteUsers.all(database, { name: 'ada' }),
    sleep(200).then(() => other.exec('commit')),
  ]);

  expect(names).toEqual([{ username: 'ada' }]);
});

eachDatabase('a query over a list', (kind) => {
  test('a list query gets its own values in each call, whatever the length of the list', async () => {
    const database = await emptyDatabase(kind);
    for (const name of ['ada', 'bea', 'cleo']) await insertUser.run(database, { name, at: 10 });

    expect(await setLogins.run(database, { names: ['ada'], at: 20 })).toBe(1);
    expect(await setLogins.run(database, { names: ['bea', 'cleo'], at: 30 })).toBe(2);
    expect(await setLogins.run(database, { names: ['bea', 'nobody'], at: 40 })).toBe(1);

    const found = await usersSince.all(database, { at: 0, name: '' });
    expect(found.map(({ last_login_at: at }) => at)).toEqual([20, 40, 30]);
  });

  test('a list query accepts a list of rows', async () => {
    const database = await emptyDatabase(kind);

    await addTurns.run(database, { turns: [{ name: 'a', until: 1 }] });
    await addTurns.run(database, { turns: [{ name: 'b', until: 2 }] });
    await addTurns.run(database, {
      turns: [
        { name: 'c', until: 3 },
        { name: 'd', until: 4 },
      ],
    });

    const rows = await database.kysely
      .selectFrom('outbox_turns')
      .select(['name', 'held_until'])
      .orderBy('name')
      .execute();
    expect(rows.map(({ name, held_until: until }) => `${name}${until}`)).toEqual(['a1', 'b2', 'c3', 'd4']);
  });
});
