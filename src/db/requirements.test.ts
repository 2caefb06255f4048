import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../test/support/each-database.ts';
import { createPostgresDatabase, freshPostgresDatabase } from '../../test/support/postgres.ts';
import type { Database } from './handle.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

async function open(url: string): Promise<Database> {
  const database = await openDatabase(url, { max: 2, isPatient: true, onTrouble: () => undefined });
  onTestFinished(() => database.close());
  return database;
}

/** Returns an empty PostgreSQL database, opened by its owner, who has all rights, and by a user who has none yet. */
async function postgres(options = '') {
  const { url, drop } = await (options ? createPostgresDatabase(options) : freshPostgresDatabase());
  onTestFinished(drop);
  const owner = await open(url);
  const name = `visitor_${new URL(url).pathname.slice(1)}`;
  await sql.raw(`create role ${name} login password 'visitor'`).execute(owner.kysely);
  onTestFinished(async () => {
    await sql.raw(`drop owned by ${name}; drop role ${name}`).execute(owner.kysely);
  });
  const visitorUrl = Object.assign(new URL(url), { username: name, password: 'visitor' }).href;
  const run = (text: string) => sql.raw(text.replaceAll('VISITOR', name)).execute(owner.kysely);
  return { url, owner, run, visitor: () => open(visitorUrl) };
}

const refusal = (work: Promise<unknown>): Promise<string> => work.then(() => 'no refusal', String);

describe('requirements of a PostgreSQL database', () => {
  test.each(['LATIN1', 'SQL_ASCII'])(
    'a database is refused if its encoding is %s, and stays empty',
    async (encoding) => {
      const { owner } = await postgres(`encoding ${encoding} template template0 locale_provider libc locale 'C'`);

      expect(await refusal(migrate(owner))).toContain(`Its encoding is ${encoding}`);
      expect(await owner.kysely.introspection.getTables()).toEqual([]);
    },
  );

  test('a database is refused if the user may not create tables', async () => {
    const { visitor } = await postgres();

    expect(await refusal(migrate(await visitor()))).toMatch(/may not make tables .* grant create on schema public to /);
  });

  test('a database is refused if the user may only read, or lacks a right on one table', async () => {
    const { owner, run, visitor } = await postgres();
    await migrate(owner);
    await run('grant select on all tables in schema public to VISITOR');
    const reader = await visitor();

    expect(await refusal(migrate(reader))).toMatch(/may not select, insert, update and delete in .*users.*sessions/);

    await run('grant insert, update, delete on all tables in schema public to VISITOR');
    expect(await migrate(reader)).toEqual([]);

    await run('revoke delete on trusted_browsers from VISITOR');
    expect(await refusal(migrate(reader))).toContain('delete in trusted_browsers.');
  });

  test('a read-only database is refused', async () => {
    const { owner, url, run } = await postgres();
    await migrate(owner);
    await run(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);

    expect(await refusal(migrate(await open(url)))).toContain('It can only be read');
  });

  test.each([
    ['alter table sessions disable trigger all', 'sessions.authsvc_tell_update, sessions.authsvc_tell_delete'],
    ['drop trigger authsvc_tell_delete on users', 'users.authsvc_tell_delete'],
    ['alter table api_tokens enable replica trigger authsvc_tell_update', 'api_tokens.authsvc_tell_update'],
    ['drop trigger authsvc_raise_version on applications', 'applications.authsvc_raise_version'],
    ['alter table applications disable trigger all', 'applications.authsvc_tell_update'],
    ['drop trigger authsvc_tell_keys on oidc_keys', 'oidc_keys.authsvc_tell_keys'],
    ['alter table oidc_grants disable trigger user', 'oidc_grants.authsvc_tell_update'],
    ['drop trigger authsvc_tell_webhooks on webhooks', 'webhooks.authsvc_tell_webhooks'],
  ])('a database is refused after %s', async (change, words) => {
    const { owner, run } = await postgres();
    await migrate(owner);
    await run(change);

    expect(await refusal(migrate(owner))).toContain(words);
  });

  test('a database is refused if its settings prevent triggers from running', async () => {
    const { owner, url, run } = await postgres();
    await migrate(owner);
    await run(`alter database ${new URL(url).pathname.slice(1)} set session_replication_role = replica`);

    expect(await refusal(migrate(await open(url)))).toContain('session_replication_role is replica');
  });

  test('a database is refused if row-level security hides rows', async () => {
    const { owner, run, visitor } = await postgres();
    await migrate(owner);
    await run('grant all on all tables in schema public to VISITOR; alter table users enable row level security');

    expect(await migrate(owner)).toEqual([]);
    expect(await refusal(migrate(await visitor()))).toContain('Row-level security hides rows of users');
  });

  test('a database is refused if a table is missing', async () => {
    const { owner, run } = await postgres();
    await migrate(owner);
    await run('drop table recovery_codes');

    expect(await refusal(migrate(owner))).toContain('It lacks the tables recovery_codes');
  });

  test('a refusal names all problems in one message', async () => {
    const { owner, run } = await postgres();
    await migrate(owner);
    await run('drop table recovery_codes; alter table users disable trigger user');

    expect(await refusal(migrate(owner))).toMatch(/cannot be used:\n {2}It lacks the tables .*\n {2}The triggers /);
  });

  test('tables of other programs in the same schema are no reason to refuse a database', async () => {
    const { owner, run, visitor } = await postgres();
    await migrate(owner);
    await run('grant all on all tables in schema public to VISITOR; create table of_another_program (id integer)');

    expect(await migrate(await visitor())).toEqual([]);
  });
});

test('an SQLite file is refused if its encoding is UTF-16', async () => {
  const { url, drop } = await freshDatabase('sqlite');
  onTestFinished(drop);
  const first = await open(url);
  await sql`pragma encoding = 'UTF-16le'`.execute(first.kysely);
  await sql`create table of_another_program (id integer)`.execute(first.kysely);

  expect(await refusal(migrate(await open(url)))).toContain('Its encoding is UTF-16le; it must be UTF-8.');
});
