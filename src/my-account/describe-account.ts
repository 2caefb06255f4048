import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { confirmationEnd } from '../factors/confirmation.ts';
import { passkeysOfUser } from '../factors/passkey-queries.ts';
import { countRecoveryCodes } from '../factors/queries.ts';
import { knownRecoveryKeys } from '../factors/recovery-codes.ts';
import type { Services } from '../http/route.ts';
import { sessionsOfUser, shownSession } from '../sessions/own-session-queries.ts';
import type { Session } from '../sessions/session.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import { pendingEmailOfUser } from '../users/pending-email-queries.ts';
import type { User } from '../users/user.ts';
import { getOwnUser } from './own-user.ts';

/** A session as its user sees it in their own list. It does not contain the session id. */
export interface OwnSession {
  ref: string;
  method: string;
  address: string;
  userAgent: string;
  createdAt: number;
  expiresAt: number;
  /** This time may be up to five minutes behind the actual last use, because it is not written for each request. */
  lastSeenAt: number;
  isCurrent: boolean;
}

/** The data of an account that its user may see. */
export interface AccountFacts {
  user: User;
  session: OwnSession;
  /** An e-mail address that the user has not confirmed yet; null if there is none. */
  emailPending: string | null;
  recoveryCodesLeft: number;
  /** The number of passkeys; 0 while passkeys are off. */
  passkeys: number;
  /** The time until which the session is confirmed; null if it is not. */
  confirmedUntil: number | null;
}

type Needs = Pick<Services, 'database' | 'clock' | 'dataSealer' | 'settings'>;

type Row = NonNullable<Awaited<ReturnType<typeof sessionsOfUser.first>>>;

const toOwnSession = (row: Row, currentId: string): OwnSession => ({
  ref: row.ref,
  method: row.method,
  address: row.address,
  userAgent: row.user_agent,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastSeenAt: row.last_seen_at,
  isCurrent: row.id === currentId,
});

/** Lists all sessions of a session's user, newest first. */
export async function listOwnSessions(
  { database, clock }: Pick<Needs, 'database' | 'clock'>,
  { id: currentId, userId }: Pick<Session, 'id' | 'userId'>,
): Promise<OwnSession[]> {
  const rows = await sessionsOfUser.all(database, { userId, now: clock.now() });
  return rows.map((row) => toOwnSession(row, currentId));
}

/** Counts the user's unused recovery codes that can be checked with the available keys. */
async function countCodesLeft(handle: Handle, dataSealer: DataSealer, { id: userId }: User): Promise<number> {
  const keys = await knownRecoveryKeys(handle, dataSealer);
  return (await countRecoveryCodes.first(handle, { userId, ...keys }))?.count ?? 0;
}

/**
 * Describes the account of a session's user.
 *
 * @throws AppError NOT_SIGNED_IN if the session or the user has ended meanwhile
 */
export async function describeAccount(services: Needs, session: Session): Promise<AccountFacts> {
  const { database, clock, dataSealer } = services;
  const [user, current, passkeys, pending] = await Promise.all([
    getOwnUser(database, session),
    shownSession.first(database, { id: session.id, now: clock.now() }),
    passkeysOfUser.all(database, { userId: session.userId }),
    pendingEmailOfUser.first(database, { userId: session.userId, now: clock.now() }),
  ]);
  if (!current) throw new AppError('NOT_SIGNED_IN');
  return {
    user,
    session: toOwnSession(current, session.id),
    emailPending: pending?.email ?? null,
    recoveryCodesLeft: user.secondFactorAt === null ? 0 : await countCodesLeft(database, dataSealer, user),
    passkeys: passkeyRpId(services.settings) === undefined ? 0 : passkeys.length,
    confirmedUntil: confirmationEnd(current, clock.now()),
  };
}
