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

/** The browser in which a user signs in. */
export interface BrowserFacts {
  /** Who makes the request, and from which address. */
  actor: Actor;
  before: Before;
  /** The unfinished sign-ins in the browser's cookies. */
  waiting: readonly HeldStep[];
  /** The trust tokens in the browser's cookies, of all users who trust it. */
  trust: TrustTokens;
  /** The users who have signed in there before. */
  known: KnownBrowser;
}

export interface ProvenPassword {
  /** The version of the password. The sign-in fails if it is no longer the current version. */
  version: number;
  /** The counted guess for this password. It counts as wrong until the sign-in returns it. */
  guess: CountedGuess;
}

export interface SignInFacts {
  userId: number;
  method: SignInMethod;
  /** The password with which the user signs in; undefined if the user signs in without one. */
  password?: ProvenPassword | undefined;
  secondFactor: UsedFactor;
  /** The ref of the passkey with which the user signs in. */
  passkeyRef?: string;
  browser: BrowserFacts;
}

export interface OpenedSession {
  session: StartedSession;
  device: Device;
}

/** Returns the error for a sign-in whose account has changed since the user was authenticated. */
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
 * Locks the user who signs in, and the other users whose sessions the browser remembers.
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

/**
 * Returns whether a browser is new for a user who has signed in before. Returns false if no mail server is set, because
 * a mail is the only notice of a new browser.
 */
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
 * Opens the session of an authenticated user, and adds it to the accounts that the browser remembers.
 *
 * @param tx open transaction in which the caller also consumes the code or link of the sign-in
 * @throws AppError PASSWORD_INCORRECT, ACCOUNT_INACTIVE or APP_NOT_ALLOWED if the account has changed since the user
 *   was authenticated: another password, a deactivation, or no access to the application
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
  // If the browser remembers no accounts, the sign-in changes only rows of this user, and the next step locks this
  // user.
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
