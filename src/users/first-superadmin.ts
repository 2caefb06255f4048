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

/** Prepares the first superadmin. Returns undefined if the database already has users. */
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
 * Adds the prepared superadmin and calls `tell`, which shows the password. Does neither if the database now has users,
 * because another process has added its own superadmin.
 *
 * Both happen in one transaction. If the password cannot be shown, no superadmin is added. If another process has added
 * its superadmin, no password is shown. The hash is computed earlier, before the service listens, so that this
 * transaction is short.
 *
 * @throws the error of `tell`. In that case no user is added
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

/** Formats the message that shows the first password to the operator. */
export const firstSuperadminText = ({ name, password }: FirstSuperadmin, address: string): string =>
  `
The first superadmin was made. This password is shown once:

  username  ${name}
  password  ${password}

Sign in at  ${address}/login

`;
