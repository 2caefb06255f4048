import { expect } from 'vitest';
import {
  addUser,
  makeDatabase,
  type Outcome,
  type Owner,
  type Place,
  runCommand,
  type Service,
  startService,
} from '../lifecycle/support.ts';
import { type DatabaseKind, freshDatabase } from '../support/each-database.ts';
import { freePort } from '../support/postgres.ts';

/** The result of one check. */
interface Check {
  name: string;
  status: string;
  message: string;
  hint: string;
}

export interface Report extends Outcome {
  checks: Check[];
  /** The status of each check that is not `ok`. */
  notOk: Record<string, string>;
  /** Returns the message of a check, with its advice. */
  wordsOf(name: string): string;
}

const isReport = (value: unknown): value is { ok: boolean; checks: Check[] } =>
  typeof value === 'object' && value !== null && 'ok' in value && 'checks' in value && Array.isArray(value.checks);

/** The check of the Node.js version depends on the machine, so these tests ignore it. */
const OF_MACHINE = 'node';

/** Runs `authsvc doctor --json`. */
export async function runDoctor(t: Owner, place: Place): Promise<Report> {
  const outcome = await runCommand(t, place, ['doctor', '--json']);
  if (!isReport(outcome.json)) throw new Error(`no report: ${outcome.stdout}${outcome.stderr}`);
  const { ok, checks } = outcome.json;
  expect([ok, outcome.code]).toEqual(checks.some(({ status }) => status === 'failed') ? [false, 1] : [true, 0]);
  const odd = checks.filter(({ name, status }) => status !== 'ok' && name !== OF_MACHINE);
  return {
    ...outcome,
    checks,
    notOk: Object.fromEntries(odd.map(({ name, status }) => [name, status])),
    wordsOf: (name) => {
      const { message = '', hint = '' } = checks.find((check) => check.name === name) ?? {};
      return `${message} ${hint}`;
    },
  };
}

export interface Installation extends Place {
  port: number;
  folder: string;
  url: string;
  settings: Record<string, string>;
}

/** Creates a database with a superadmin. The settings for the service have a fixed PORT, so that the doctor can find it. */
export async function prepare(
  t: Owner,
  kind: DatabaseKind,
  settings: Record<string, string> = {},
): Promise<Installation> {
  const fresh = await freshDatabase(kind);
  t.onTestFinished(fresh.drop);
  const port = await freePort();
  const place = { ...fresh, settings: { PORT: String(port), TRUST_PROXY: 'loopback', ...settings }, port };
  await makeDatabase(t, place);
  await addUser(t, place, 'root', ['--role', 'superadmin']);
  return place;
}

/** Does the same as `prepare`, and starts the service. */
export async function start(
  t: Owner,
  kind: DatabaseKind,
  settings: Record<string, string> = {},
): Promise<Installation & { service: Service }> {
  const place = await prepare(t, kind, settings);
  return { ...place, service: await startService(t, place) };
}

/** The checks that are skipped on each kind of database while mail and providers are off. */
export const skippedOn: Record<DatabaseKind, Record<string, string>> = {
  sqlite: { 'change-feed': 'skipped', providers: 'skipped', mail: 'skipped', webhooks: 'skipped' },
  postgres: { 'data-folder': 'skipped', disk: 'skipped', providers: 'skipped', mail: 'skipped', webhooks: 'skipped' },
};
