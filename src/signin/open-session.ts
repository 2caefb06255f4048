import type { Device } from '../accounts/accounts-cookie.ts';
import { type Before, nextAccountList, rememberAccount } from '../accounts/remember-account.ts';
import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, asUser, type Subject } from '../events/actor.ts';
import type { UsedFactor } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import { CONFIRMATION_MS, isConfirming } from '../factors/confirmation.ts';
import type { TrustTokens } from '../factors/trusted-browser.ts';
import type { Services } from '../http/route.ts';
import { authenticationMethods } from '../sessions/amr.ts';
import { lockOwners } from '../sessions/lock-owners.ts';
import type { SignInMethod } from '../sessions/session.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';
import { lastLogin, recordLogin, recordPasswordLogin } from '../users/queries.ts';
import { mayUseApp, parseList } from '../users/user.ts';
import { isKnownBrowserOf, type KnownBrowser } from './known-browser.ts';
import { type CountedGuess, returnGuessIn } from './password-guesses.ts';
import type { HeldStep } from './second-step-cookie.ts';

/** The browser where a user signs in. */
export interface BrowserFacts {
  /** Who makes the request, and from where. */
  actor: Actor;
  before: Before;
  /** The sign-ins that wait in it for their second step. */
  waiting: readonly HeldStep[];
  /** The users who already trust the browser. */
  trust: TrustTokens;
  /** The users who have signed in there before. */
  known: KnownBrowser;
}

export interface ProvenPassword {
  /** The version of the password, which must still be the current one. */
  version: number;
  /** Still counted as a wrong one. */
  guess: CountedGuess;
}

export interface SignInFacts {
  userId: number;
  method: SignInMethod;
  /** The password with which the user signs in. */
  password?: ProvenPassword | undefined;
  secondFactor: UsedFactor;
  /** The passkey with which the user signs in. */
  passkeyRef?: string;
  browser: BrowserFacts;
}

export interface OpenedSession {
  session: StartedSession;
  device: Device;
}

/** The refusal if the account has changed since it was proven. */
export const changedMeanwhile = (userId: number, password: ProvenPassword | undefined): AppError =>
  new AppError(password ? 'PASSWORD_INCORRECT' : 'ACCOUNT_INACTIVE', { userId });

interface Circumstances {
  now: number;
  settings: Services['settings'];
}

interface RecordedSignIn {
  subject: Subject;
  confirmedUntil: number | null;
}

async function recordSignIn(tx: Handle, facts: SignInFacts, { now, settings }: Circumstances): Promise<RecordedSignIn> {
  const { userId, password } = facts;
  const row = password
    ? await recordPasswordLogin.first(tx, { id: userId, version: password.version, now })
    : await recordLogin.first(tx, { id: userId, now });
  if (!row) throw changedMeanwhile(userId, password);
  if (password) await returnGuessIn(tx, password.guess);
  const user = { role: row.role, allowedApps: parseList(row.allowed_apps) };
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId });
  const proven = { id: userId, hasPassword: row.has_password === 1, secondFactorAt: row.second_factor_at };
  const confirmedUntil = (await isConfirming(tx, settings, proven, facts)) ? now + CONFIRMATION_MS : null;
  return { subject: { id: userId, name: row.username }, confirmedUntil };
}

/**
 * Locks the user who signs in and the others whose sessions the browser remembers.
 *
 * @param tx open transaction that has locked nothing yet
 */
export async function lockSignIn(
  tx: Handle,
  { userId, browser }: Pick<SignInFacts, 'userId' | 'browser'>,
): Promise<void> {
  const { device, sessionId } = browser.before;
  const browsers = device ? [device.browser] : [];
  await lockOwners(tx, { userIds: [userId], browsers, sessionIds: sessionId ? [sessionId] : [] });
}

/** Whether the browser is new for a user who has signed in before; false without mail, which alone tells users of it. */
async function isNewBrowser(
  tx: Handle,
  { SMTP_URL }: Pick<Services['settings'], 'SMTP_URL'>,
  { userId, browser }: SignInFacts,
  now: number,
): Promise<boolean> {
  if (SMTP_URL === undefined || isKnownBrowserOf(browser.known, userId, now)) return false;
  return ((await lastLogin.first(tx, { id: userId }))?.last_login_at ?? null) !== null;
}

/**
 * Opens the session of a user who has proven who they are, and lets the browser remember it.
 *
 * @param tx open transaction, in which the sign-in also uses up its code or link
 * @throws AppError PASSWORD_INCORRECT, ACCOUNT_INACTIVE or APP_NOT_ALLOWED if the user got another password, was
 *   deactivated or lost the application meanwhile
 */
export async function openSession(
  tx: Transaction,
  { clock, settings }: Pick<Services, 'clock' | 'settings'>,
  facts: SignInFacts,
): Promise<OpenedSession> {
  const now = clock.now();
  const { userId, method, browser, secondFactor, passkeyRef } = facts;
  const { before, actor } = browser;
  const { address = '', userAgent = '' } = actor;
  const list = nextAccountList(before);
  // Without remembered accounts, only rows of this user change, and the next step locks this user.
  if (before.device || before.sessionId) await lockSignIn(tx, facts);
  const isNew = await isNewBrowser(tx, settings, facts, now);
  const { subject, confirmedUntil } = await recordSignIn(tx, facts, { now, settings });
  const amr = authenticationMethods(method, secondFactor);
  const start = { userId, method, amr, passkeyRef, address, userAgent, device: list, confirmedUntil, now };
  const session = await startSession(tx, start, settings);
  const max = settings.MAX_REMEMBERED_ACCOUNTS;
  const remembering = { device: list, session: { id: session.id, userId }, before, max, now };
  const { device, ended } = await rememberAccount(tx, remembering);
  const details = { method, second_factor: secondFactor, sessions_ended: session.ended + ended };
  const by = asUser(actor, subject, session.ref);
  await recordEvent(tx, { type: 'user.signed_in', actor: by, subject, details, isNewBrowser: isNew });
  return { session, device };
}
