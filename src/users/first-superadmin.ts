import type { Database } from '../db/handle.ts';
import { systemActor } from '../events/actor.ts';
import type { Clock } from '../lib/clock.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import { randomText } from '../lib/random.ts';
import type { Settings } from '../settings/table.ts';
import { hashNewPassword, insertHashed } from './add-user.ts';
import { contextWords } from './password-rules.ts';
import { anyUser } from './queries.ts';

const NAME = 'superadmin';
const PASSWORD_BYTES = 18;

/** A superadmin who is thought out but not in the database yet. The password is told once and stored nowhere. */
export interface FirstSuperadmin {
  name: string;
  password: string;
  hash: string;
}

interface Needs {
  database: Database;
  passwords: PasswordHasher;
  settings: Settings;
  clock: Clock;
}

/** Thinks out the first superadmin of a database without users; undefined when there are users. */
export async function draftFirstSuperadmin({
  database,
  passwords,
  settings,
}: Needs): Promise<FirstSuperadmin | undefined> {
  if (await anyUser.first(database, {})) return undefined;
  const password = randomText(PASSWORD_BYTES);
  return { name: NAME, password, hash: await hashNewPassword(passwords, password, contextWords(NAME, settings)) };
}

/**
 * Adds the drafted superadmin and calls `tell`, unless there are users by now: another process was faster then, and the
 * password of the draft is nobody's.
 *
 * Throws  what `tell` throws. Nobody was added then.
 * Why     in one transaction: a superadmin does not stay whose password could not be told, and no password is told of one
 *         whom another process made.
 * Why     apart from the draft, so that it is quick: the hash is made before the service listens, the row after.
 */
export async function addFirstSuperadmin(
  { database, settings, clock }: Needs,
  { name, hash }: FirstSuperadmin,
  tell: () => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (await anyUser.first(tx, {})) return;
    const circumstances = { appName: settings.APP_NAME, now: clock.now(), actor: systemActor };
    if (await insertHashed(tx, circumstances, { name, hash, role: 'superadmin' })) await tell();
  });
}

/** What the operator reads once. */
export const firstSuperadminText = ({ name, password }: FirstSuperadmin, address: string): string =>
  `
The first superadmin was made. This password is shown once:

  username  ${name}
  password  ${password}

Sign in at  ${address}/login

`;
