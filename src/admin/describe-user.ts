import { AppError } from '../errors/app-error.ts';
import { passkeysOfUser } from '../factors/passkey-queries.ts';
import { type PasskeyJson, toPasskeyJson } from '../factors/passkey-schemas.ts';
import type { Services } from '../http/route.ts';
import { findUserById } from '../users/find-user.ts';
import type { User } from '../users/user.ts';
import { connectionsOfUser, userFacts } from './list-queries.ts';

export interface UserDescription {
  user: User;
  recoveryCodesLeft: number;
  trustedBrowsers: number;
  passkeys: Omit<PasskeyJson, 'backed_up'>[];
  /** The user's accounts at identity providers; `created_at` is ISO 8601. */
  connections: { provider: string; account_id: string; created_at: string }[];
}

/**
 * Returns one user with the details that a superadmin can see.
 *
 * @throws AppError USER_NOT_FOUND
 */
export async function describeUser(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  id: number,
): Promise<UserDescription> {
  const user = await findUserById(database, id);
  if (!user) throw new AppError('USER_NOT_FOUND');
  const facts = await userFacts.first(database, { id, now: clock.now() });
  const passkeys = await passkeysOfUser.all(database, { userId: id });
  const connections = await connectionsOfUser.all(database, { id });
  return {
    user,
    recoveryCodesLeft: Number(facts?.recovery_codes_left ?? 0),
    trustedBrowsers: Number(facts?.trusted_browsers ?? 0),
    passkeys: passkeys.map(toPasskeyJson).map(({ backed_up: _backedUp, ...rest }) => rest),
    connections: connections.map(({ created_at, ...rest }) => ({
      ...rest,
      created_at: new Date(created_at).toISOString(),
    })),
  };
}
