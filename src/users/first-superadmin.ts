import type { Database } from '../db/handle.ts';
import type { Clock } from '../kit/clock.ts';
import type { PasswordHasher } from '../kit/password-hash.ts';
import { randomText } from '../kit/random.ts';
import type { Settings } from '../settings/table.ts';
import { hashNewPassword, insertHashed } from './add-user.ts';
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
  return { name: NAME, password, hash: await hashNewPassword(passwords, password, [NAME, settings.APP_NAME]) };
}

/**
 * Adds the drafted superadmin, unless there are users by now.
 *
 * Gives   false when another process was faster: the password of the draft is nobody's then.
 * Why     apart from the draft, so that it is quick: the hash is made before the service listens, the row after.
 */
export async function addFirstSuperadmin(
  { database, settings, clock }: Needs,
  { name, hash }: FirstSuperadmin,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if (await anyUser.first(tx, {})) return false;
    const context = { database: tx, appName: settings.APP_NAME, now: clock.now() };
    return (await insertHashed(context, { name, hash, role: 'superadmin' })) !== undefined;
  });
}
