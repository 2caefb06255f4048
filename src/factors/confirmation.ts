import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { UsedFactor } from '../events/event-types.ts';
import { CLOCK_TOLERANCE_MS, type Clock, MINUTE_MS } from '../lib/clock.ts';
import type { Session, SignInMethod } from '../sessions/session.ts';
import { isUsable } from '../settings/identity-providers.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import type { Settings } from '../settings/table.ts';
import type { User } from '../users/user.ts';
import { passkeysOfUser } from './passkey-queries.ts';
import { confirmationFacts, providersOfUser } from './queries.ts';

/** How long a confirmation is valid. */
export const CONFIRMATION_MS = 10 * MINUTE_MS;

/**
 * Returns the time until which a session is confirmed, or null if it is not confirmed. If the stored time is further
 * ahead than any confirmation lasts, the clock was wrong when it was stored, and the session counts as not confirmed.
 */
export function confirmationEnd(row: { confirmed_until: number | null } | undefined, now: number): number | null {
  const until = row?.confirmed_until ?? 0;
  return until > now && until <= now + CONFIRMATION_MS + CLOCK_TOLERANCE_MS ? until : null;
}

type FactorSettings = Pick<Settings, 'AUTHSVC_TWO_FA_ENABLE'>;
type WaySettings = FactorSettings & Parameters<typeof passkeyRpId>[0] & Pick<Settings, 'identityProviders'>;
type Facts = Pick<User, 'hasPassword' | 'secondFactorAt'>;

/** Returns whether a sign-in asks this user for a second factor. */
export const isSecondFactorOn = ({ AUTHSVC_TWO_FA_ENABLE }: FactorSettings, user: Pick<User, 'secondFactorAt'>) =>
  AUTHSVC_TWO_FA_ENABLE && user.secondFactorAt !== null;

/** Returns whether the settings require this user to have a second factor. */
export const isSecondFactorRequired = (
  { SECOND_FACTOR }: Pick<Settings, 'SECOND_FACTOR'>,
  { role }: Pick<User, 'role'>,
): boolean => SECOND_FACTOR === 'everyone' || (SECOND_FACTOR === 'superadmin' && role === 'superadmin');

/**
 * Returns whether the user must set up a second factor before signing in. Does not apply to a sign-in with a
 * passkey.
 */
export const mustEnrol = (
  settings: Pick<Settings, 'SECOND_FACTOR'>,
  user: Pick<User, 'role' | 'secondFactorAt'>,
): boolean => user.secondFactorAt === null && isSecondFactorRequired(settings, user);

/** Returns whether a user has a passkey and passkeys are on. */
async function hasPasskey(handle: Handle, settings: WaySettings, { id }: Pick<User, 'id'>): Promise<boolean> {
  if (passkeyRpId(settings) === undefined) return false;
  return (await passkeysOfUser.first(handle, { userId: id })) !== undefined;
}

/**
 * Returns the user's ways to confirm a change, except for passkeys. If this list is empty and the user has no passkey,
 * the user must sign in through a provider again to confirm.
 */
function ownWays(settings: FactorSettings, user: Facts): string[] {
  if (isSecondFactorOn(settings, user)) return ['totp'];
  return user.hasPassword ? ['password'] : [];
}

/** How the user of a session can confirm a change. */
interface SessionConfirmation {
  /**
   * `passkey`, `totp` or `password`. If the user has none of them: the names of the providers to sign in with
   * again.
   */
  ways: string[];
  /** The time until which the session is confirmed, or null if it is not. */
  until: number | null;
}

/**
 * Finds the ways in which the user of a session can confirm a change, and whether the session is already confirmed.
 *
 * @throws AppError NOT_SIGNED_IN if the user was removed meanwhile
 * @see docs/interface.md Confirmation; OWASP ASVS 5.0 7.5.1, 7.5.3
 */
export async function getConfirmation(
  { database, settings, clock }: { database: Handle; settings: WaySettings; clock: Clock },
  { id: sessionId, userId }: Pick<Session, 'id' | 'userId'>,
): Promise<SessionConfirmation> {
  const row = await confirmationFacts.first(database, { sessionId, userId });
  if (!row) throw new AppError('NOT_SIGNED_IN');
  const until = confirmationEnd(row, clock.now());
  const passkey = row.passkey_ref !== null && passkeyRpId(settings) !== undefined ? ['passkey'] : [];
  const facts = { hasPassword: row.has_password === 1, secondFactorAt: row.second_factor_at };
  const own = [...passkey, ...ownWays(settings, facts)];
  if (own.length > 0) return { ways: own, until };
  const linked = (await providersOfUser.all(database, { userId })).map(({ provider }) => provider);
  const usable = settings.identityProviders.filter((one) => isUsable(one) && linked.includes(one.name));
  return { ways: usable.map(({ name }) => name), until };
}

/**
 * Returns whether a sign-in also confirms its session. It does if the last step of the sign-in is one of the user's
 * ways to confirm. A trusted browser that skips the second step does not confirm anything.
 */
export async function isConfirming(
  handle: Handle,
  settings: WaySettings,
  user: Facts & Pick<User, 'id'>,
  { method, secondFactor }: { method: SignInMethod; secondFactor: UsedFactor },
): Promise<boolean> {
  if (['passkey', 'totp', 'recovery_code'].includes(secondFactor)) return true;
  // A link sets a password, so signing in with it counts like signing in with the password.
  const way = method === 'link' ? 'password' : method;
  const ways = ownWays(settings, user);
  if (ways.length > 0 || way === 'password') return ways.includes(way);
  return !(await hasPasskey(handle, settings, user));
}
