import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { expect, type TestContext, test } from 'vitest';
import { steadyClock, systemClock } from '../lib/clock.ts';
import type { Database } from './handle.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import type { Schema } from './schema.ts';

const OPTIONS = { max: 1, isPatient: false, onTrouble: () => undefined };

async function addUser({ kysely }: Database, id: number): Promise<void> {
  const name = `user-${id}`;
  await kysely
    .insertInto('users')
    .values({
      id,
      username: name,
      username_key: name,
      full_name: '',
      role: 'normaluser',
      allowed_apps: '[]',
      image: '',
      password_hash: '',
      created_at: 1,
    })
    .execute();
}

const addSession = ({ kysely }: Database, id: string, userId: number) =>
  kysely
    .insertInto('sessions')
    .values({ id, user_id: userId, method: 'password', address: '', user_agent: '', created_at: 1, expires_at: 2 })
    .execute();

const addToken = ({ kysely }: Database, id: number, userId: number) =>
  kysely
    .insertInto('api_tokens')
    .values({ id, user_id: userId, name: '', token_hash: `hash-${id}`, prefix: '', scope: 'write', created_at: 1 })
    .execute();

/** Opens a file with two users, each with a session and a token, and follows its changes. */
async function followedFile(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-changes-'));
  const url = `sqlite:${join(folder, 'a.sqlite')}`;
  const other = await openDatabase(url, OPTIONS);
  await migrate(other);
  for (const id of [1, 2]) {
    await addUser(other, id);
    await addSession(other, `s${id}`, id);
    await addToken(other, id, id);
  }
  const database = await openDatabase(url, { ...OPTIONS, keep: { clock: systemClock, steady: steadyClock } });
  t.onTestFinished(async () => {
    await Promise.all([other.close(), database.close()]);
    await rm(folder, { recursive: true });
  });
  const told: string[] = [];
  database.changes.onChange((change) => told.push(change));
  await database.changes.arrive();
  /** Returns the changes that some work and the next check of the file report. */
  const toldBy = async (work: () => Promise<unknown>): Promise<string[]> => {
    told.length = 0;
    await work();
    await database.changes.arrive();
    return told.toSorted();
  };
  return { database, other, told, toldBy };
}

const write = (db: Kysely<Schema>, text: string) => sql.raw(text).execute(db);

test('when a process changes rows, it removes exactly these rows from its cache', async (t) => {
  const { database, toldBy } = await followedFile(t);
  const { kysely } = database;
  const told = (text: string) => toldBy(() => write(kysely, text));

  expect(await told("update sessions set expires_at = 3 where id = 's1'")).toEqual(['sessions s1']);
  expect(await told("update sessions set id = 's3' where id = 's1'")).toEqual(['sessions s1']);
  expect(await told('update users set deactivated_at = 1')).toEqual(['users 1', 'users 2']);
  expect(await told('delete from api_tokens where id = 2')).toEqual(['api_tokens 2']);
  expect(await told("insert into spent_starts (state_hash, expires_at) values ('a', 1)")).toEqual([]);
  expect(await toldBy(() => addSession(database, 's4', 2))).toEqual([]);
  expect(await told('delete from users where id = 1')).toEqual(['api_tokens 1', 'sessions s3', 'users 1']);
});

test('a change is reported before its transaction ends, so a rollback only costs one unneeded read', async (t) => {
  const { database, told, toldBy } = await followedFile(t);
  const undo = database.transaction(async (tx) => {
    await write(tx.kysely, "delete from sessions where id = 's1'");
    expect(told).toEqual(['sessions s1']);
    throw new Error('undone');
  });

  expect(await toldBy(() => expect(undo).rejects.toThrow('undone'))).toEqual(['sessions s1']);
});

test('after a commit of another connection, any row may have changed', async (t) => {
  const { other, toldBy } = await followedFile(t);

  expect(await toldBy(() => write(other.kysely, "delete from sessions where id = 's1'"))).toEqual(['*']);
  expect(await toldBy(async () => undefined)).toEqual([]);
});
