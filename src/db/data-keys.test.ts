import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../../test/support/each-database.ts';
import { createSealer } from '../lib/sealing.ts';
import { openDataSealer, prepareDataKeys, readDataSealer } from './data-keys.ts';
import type { Database } from './handle.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

const [OLD, NEW, OTHER] = [
  'an-old-session-secret-0123456789-abcdef',
  'a-new-session-secret-0123456789-abcdef',
  'another-session-secret-0123456789-abcdef',
];
const PROCESSES = 5;

/** Returns several processes' handles on one migrated database. */
async function processes(kind: DatabaseKind): Promise<Database[]> {
  const fresh = await freshDatabase(kind);
  const open = () => openDatabase(fresh.url, { max: 2, isPatient: true, onTrouble: () => undefined });
  const databases = await Promise.all(Array.from({ length: PROCESSES }, open));
  onTestFinished(async () => {
    for (const database of databases) await database.close();
    await fresh.drop();
  });
  const [first] = databases;
  if (first) await migrate(first);
  return databases;
}

const open = (database: Database | undefined, secrets: string[], { makesFurtherKey = true, now = 1 } = {}) => {
  if (!database) throw new Error('no database');
  return prepareDataKeys(database, { secrets, now, makesFurtherKey });
};

const rowsOf = ([database]: Database[]) =>
  database?.kysely.selectFrom('data_keys').selectAll().orderBy('created_at').execute();

eachDatabase('data keys', (kind) => {
  test('only one key is made if processes start at once with different secrets, and each process opens it', async () => {
    const databases = await processes(kind);
    const lists = [[OLD], [NEW, OLD], [OLD, NEW], [OLD], [OLD, NEW]];

    const opened = await Promise.all(databases.map((database, at) => open(database, lists[at] ?? [])));

    const ids = new Set(((await rowsOf(databases)) ?? []).map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect(new Set(opened.map((dataSealer) => dataSealer?.keyId))).toEqual(ids);
  });

  test('only one key is made if processes start at once with the same secret', async () => {
    const databases = await processes(kind);

    const opened = await Promise.all(databases.map((database) => open(database, [OLD])));

    expect(new Set(opened.map((dataSealer) => dataSealer?.keyId)).size).toBe(1);
    expect(await rowsOf(databases)).toHaveLength(1);
    const [sealed = ''] = opened.map((dataSealer) => dataSealer?.seal('test', 'text') ?? '');
    for (const dataSealer of opened) expect(dataSealer?.open('test', sealed)).toBe('text');
  });

  test('after a start with both secrets, the old secret is no longer needed', async () => {
    const databases = await processes(kind);
    const [first] = databases;
    const sealed = (await open(first, [OLD]))?.seal('test', 'text') ?? '';

    // Some of the processes start before their settings are changed.
    const lists = [[OLD], [NEW, OLD], [OLD], [NEW, OLD], [OLD]];
    await Promise.all(databases.map((database, at) => open(database, lists[at] ?? [])));
    expect((await open(first, [OLD]))?.open('test', sealed)).toBe('text');

    const opened = await Promise.all(databases.map((database) => open(database, [NEW])));
    for (const dataSealer of opened) expect(dataSealer?.open('test', sealed)).toBe('text');
    expect(await open(first, [OLD], { makesFurtherKey: false })).toBeUndefined();
    expect(await rowsOf(databases)).toHaveLength(1);
  });

  test('after a return to the old secret, the new secret is no longer needed', async () => {
    const databases = await processes(kind);
    const [database] = databases;
    const sealed = (await open(database, [OLD]))?.seal('test', 'text') ?? '';

    for (const secrets of [[NEW, OLD], [NEW], [OLD, NEW], [OLD]]) await open(database, secrets);

    expect((await open(database, [OLD]))?.open('test', sealed)).toBe('text');
    expect(await open(database, [NEW], { makesFurtherKey: false })).toBeUndefined();
  });

  test('the key itself is not in the database', async () => {
    const databases = await processes(kind);
    const dataSealer = await open(databases[0], [OLD]);
    const [row] = (await rowsOf(databases)) ?? [];

    expect(row?.sealed_key).toMatch(/^v1\.[\w-]+$/);
    expect(createSealer([row?.sealed_key ?? '']).open('test', dataSealer?.seal('test', 'text') ?? '')).toBeUndefined();
  });

  test('if no secret opens the key, the service creates another key, and after a start with both secrets both keys open', async () => {
    const databases = await processes(kind);
    const [database] = databases;
    const before = (await open(database, [OLD]))?.seal('test', 'before') ?? '';

    const meanwhile = await open(database, [OTHER], { now: 2 });
    const sealed = meanwhile?.seal('test', 'meanwhile') ?? '';
    expect(meanwhile?.open('test', before)).toBeUndefined();

    await open(database, [OTHER, OLD], { now: 3 });
    const after = await open(database, [OTHER], { now: 4 });
    expect(after?.open('test', before)).toBe('before');
    expect(after?.open('test', sealed)).toBe('meanwhile');
    expect(after?.keyId).toBe(meanwhile?.keyId);
    expect(new Set((await rowsOf(databases))?.map(({ id }) => id)).size).toBe(2);
  });

  test('if no secret opens the key, a command that needs it is refused, and the stored keys stay unchanged', async () => {
    const databases = await processes(kind);
    const [database] = databases;
    if (!database) throw new Error('no database');
    await open(database, [OLD]);
    const before = await rowsOf(databases);

    await expect(openDataSealer(database, [OTHER], 2)).rejects.toThrow('SESSION_SECRET_KEY opens no data key');
    expect(await readDataSealer(database, [OTHER])).toBeUndefined();
    expect(await rowsOf(databases)).toEqual(before);
  });
});
