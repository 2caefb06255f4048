import type { Device } from '../accounts/accounts-cookie.ts';
import { type Before, nextAccountList, rememberAccount } from '../accounts/remember-account.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import type { SignInMethod } from '../sessions/session.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';
import { recordLogin, recordPasswordLogin } from '../users/queries.ts';
import { mayUseApp, parseList, parseRole } from '../users/user.ts';

/** The browser in which somebody signs in. */
export interface BrowserFacts {
  address: string;
  userAgent: string;
  before: Before;
}

export interface SignInFacts {
  userId: number;
  method: SignInMethod;
  /** The hash that the password was verified against; it must still be the user's. */
  passwordHash?: string | undefined;
  browser: BrowserFacts;
}

export interface OpenedSession {
  session: StartedSession;
  device: Device;
}

/** The refusal of somebody whose account is no longer what it was when it was proven. */
export const changedMeanwhile = (userId: number, passwordHash: string | undefined): AppError =>
  new AppError(passwordHash ? 'PASSWORD_INCORRECT' : 'ACCOUNT_INACTIVE', { userId });

interface Circumstances {
  now: number;
  appName: string;
}

async function recordSignIn(tx: Handle, facts: SignInFacts, { now, appName }: Circumstances): Promise<void> {
  const { userId, passwordHash } = facts;
  const row = passwordHash
    ? await recordPasswordLogin.first(tx, { id: userId, hash: passwordHash, now })
    : await recordLogin.first(tx, { id: userId, now });
  if (!row) throw changedMeanwhile(userId, passwordHash);
  const user = { role: parseRole(row.role), allowedApps: parseList(row.allowed_apps) };
  if (!mayUseApp(user, appName)) throw new AppError('APP_NOT_ALLOWED', { userId });
}

/**
 * Opens the session of somebody who has proven who they are, and lets the browser remember it.
 *
 * Needs   tx: open transaction; whatever else the sign-in uses up is used up in it.
 * Throws  AppError when the user was deactivated, lost the application, or got another password, while it
 *         was being proven.
 */
export async function openSession(
  tx: Handle,
  { clock, settings }: Pick<Services, 'clock' | 'settings'>,
  facts: SignInFacts,
): Promise<OpenedSession> {
  const now = clock.now();
  const { userId, method, browser } = facts;
  const { address, userAgent, before } = browser;
  const device = nextAccountList(before);
  await recordSignIn(tx, facts, { now, appName: settings.APP_NAME });
  const session = await startSession(tx, { userId, method, address, userAgent, device, now }, settings);
  const max = settings.MAX_REMEMBERED_ACCOUNTS;
  return {
    session,
    device: await rememberAccount(tx, { device, session: { id: session.id, userId }, before, max, now }),
  };
}
