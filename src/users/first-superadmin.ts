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

/** A prepared superadmin who is not in the database yet. The password is shown once and not stored. */
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

/** Prepares the first superadmin of a database without users; undefined if there are users. */
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
 * Adds the prepared superadmin and calls `tell`, unless there are users by now. Then another process was faster, and
 * the prepared password is not used.
 *
 * This is one transaction, so no superadmin remains whose password could not be shown, and no password
 * is shown if another process added the superadmin. It is separate from the preparation, so that it is fast: the hash is
 * computed before the service listens, the row is written after.
 *
 * @throws the error of `tell`. Then no user was added
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

/** The message for the operator, shown once. */
export const firstSuperadminText = ({ name, password }: FirstSuperadmin, address: string): string =>
  `
The first superadmin was made. This password is shown once:

  username  ${name}
  password  ${password}

Sign in at  ${address}/login

`;
