import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import type { ApplicationFields } from '../../src/applications/fields.ts';
import { type ErrorName, errorRegistry } from '../../src/errors/registry.ts';
import { randomHex } from '../../src/lib/random.ts';
import type { Reply } from '../support/client.ts';
import { startApp, type TestApp } from '../support/start-app.ts';

/** Starts one service for all tests of a describe block. Each test uses its own users. */
export function sharedApp(options: Parameters<typeof startApp>[1]): () => TestApp {
  const stops: (() => Promise<void>)[] = [];
  let app: TestApp | undefined;
  beforeAll(async () => {
    app = await startApp({ onTestFinished: (stop) => void stops.push(stop) }, options);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return () => {
    if (!app) throw new Error('the service is there only while a test runs');
    return app;
  };
}

/** Registers an application. Returns the headers with which it authenticates. */
export async function applicationHeaders(
  { services, change }: TestApp,
  { key = `app-${randomHex(4)}`, name = key, ...fields }: ApplicationFields & { key?: string } = {},
): Promise<{ authorization: string }> {
  const { secret } = await addApplication(change(), services.settings, { ...fields, key, name });
  return { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
}

/** Registers an application that uses OpenID Connect. Without one, the OpenID Connect routes reply with 404. */
export async function addRelyingParty({ change, services }: TestApp) {
  const fields = { key: 'wiki', name: 'Wiki', redirectUris: ['https://wiki.example.test/cb'], deviceFlow: true };
  return addApplication(change(), services.settings, fields);
}

/**
 * Checks that a reply is this error of the registry, in the JSON form that all errors have. `field` is the field that the
 * reply must name.
 */
export function expectError(reply: Reply, name: ErrorName, field: unknown = reply.body.field): void {
  const { number, status, message, hint } = errorRegistry[name];
  expect(reply.body).toEqual({
    success: false,
    message,
    code: name,
    error_code: number,
    hint,
    ...(field === undefined ? {} : { field }),
    request_id: expect.stringMatching(/^[\w-]+$/),
  });
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
}

/**
 * Tables that change although a request is refused: counters of limits and guesses, the audit log, the outbox, which a
 * sender empties, and row counts, which a cleaner updates.
 */
const BESIDE_REQUESTS = ['rate_limits', 'password_guesses', 'audit_events', 'outbox', 'outbox_turns', 'row_counts'];

/** Leaves out the time of last use, because the service writes it seconds after the request. */
const withoutLastUse = (key: string, value: unknown) => (key === 'last_seen_at' ? undefined : value);

/** Returns every row of the other tables, to compare the database before and after a request. */
export async function dumpDatabase({ services }: TestApp): Promise<Record<string, string[]>> {
  const { kysely } = services.database;
  const tables = await kysely.introspection.getTables();
  const dump: Record<string, string[]> = {};
  for (const { name } of tables.filter((table) => !BESIDE_REQUESTS.includes(table.name))) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(kysely);
    dump[name] = rows.map((row) => JSON.stringify(row, withoutLastUse)).sort();
  }
  return dump;
}

/** Makes the database refuse this kind of change to the table, until the returned function is called. */
export async function breakWrites(
  { services }: TestApp,
  table: 'users' | 'sessions' | 'spent_starts',
  change: 'insert' | 'delete',
): Promise<() => Promise<unknown>> {
  return addTrigger(services, sql.raw(`before ${change} on ${table}`), {
    sqlite: sql`select raise(abort, 'broken on purpose')`,
    postgres: "raise exception 'broken on purpose'",
  });
}

/** Makes updates of sessions have no effect, as if the sessions were gone, until the returned function is called. */
export const loseSessions = ({ services }: TestApp): Promise<() => Promise<unknown>> =>
  addTrigger(services, sql.raw('before update on sessions'), {
    sqlite: sql`select raise(ignore)`,
    postgres: 'return null',
  });

async function addTrigger(
  { database: { kind, kysely } }: TestApp['services'],
  when: RawBuilder<unknown>,
  body: { sqlite: RawBuilder<unknown>; postgres: string },
): Promise<() => Promise<unknown>> {
  if (kind === 'sqlite') {
    await sql`create trigger broken ${when} begin ${body.sqlite}; end`.execute(kysely);
    return () => sql`drop trigger broken`.execute(kysely);
  }
  const text = sql.lit(`begin ${body.postgres}; end`);
  await sql`create function broken() returns trigger language plpgsql as ${text}`.execute(kysely);
  await sql`create trigger broken ${when} for each row execute function broken()`.execute(kysely);
  return () => sql`drop function broken cascade`.execute(kysely);
}
