import type { Database } from '../db/handle.ts';
import type { PasswordHasher } from '../kit/password-hash.ts';
import { randomText } from '../kit/random.ts';
import { addUser } from './add-user.ts';
import { anyUser } from './queries.ts';

const NAME = 'superadmin';
const PASSWORD_BYTES = 18;

/**
 * Makes the first superadmin in a database without users.
 *
 * Gives   name and password, which are told to the operator once and stored nowhere; undefined when there are users,
 *         or when another process was faster.
 */
export async function createFirstSuperadmin({
  database,
  passwords,
  appName,
  now,
}: {
  database: Database;
  passwords: PasswordHasher;
  appName: string;
  now: number;
}): Promise<{ name: string; password: string } | undefined> {
  if (await anyUser.first(database, {})) return undefined;
  const password = randomText(PASSWORD_BYTES);
  try {
    await addUser({ database, passwords, appName, now }, { name: NAME, password, role: 'superadmin', apps: [] });
  } catch (error) {
    if (await anyUser.first(database, {})) return undefined;
    throw error;
  }
  return { name: NAME, password };
}
