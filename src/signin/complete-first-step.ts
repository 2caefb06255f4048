import type { Handle } from '../db/handle.ts';
import { subjectOf } from '../events/actor.ts';
import { isSecondFactorOn, mustEnrol } from '../factors/confirmation.ts';
import { findTrust, trustCookie } from '../factors/trusted-browser.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import type { SignInMethod } from '../sessions/session.ts';
import { lockUser, lockUserWithPassword } from '../users/queries.ts';
import type { User } from '../users/user.ts';
import { type BrowserFacts, changedMeanwhile, openSession, type ProvenPassword } from './open-session.ts';
import { returnGuessIn } from './password-guesses.ts';
import { insertSecondStep } from './queries.ts';
import { secondStepCookies } from './second-step-cookie.ts';
import { signInCookies } from './sign-in-cookies.ts';

const LIFE_MS = 10 * MINUTE_MS;
const ATTEMPTS = 5;

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer' | 'notes'>;

export interface FirstStep {
  /** The user who completed the first step and may use the application. */
  user: User;
  browser: BrowserFacts;
  method: SignInMethod;
  /** Where the browser goes after the second step. The caller has checked that it is a safe target. */
  redirect: string;
  /** The password of the first step; undefined if the user signed in without one. */
  password?: ProvenPassword | undefined;
}

/** The outcome of a first step, and the cookies to set. */
export interface FirstStepOutcome {
  /** `enrolment`: the user must set up a second factor as the second step. */
  state: 'signed-in' | 'second-step' | 'enrolment';
  cookies: CookieChange[];
}

/**
 * Stores a sign-in until its second step, and returns the cookies with which this browser can complete it.
 *
 * @param tx open transaction that has locked the user's row
 */
export async function holdSignIn(
  tx: Handle,
  { clock, sealer }: Pick<Needs, 'clock' | 'sealer'>,
  { user, browser, method, redirect }: Omit<FirstStep, 'user'> & { user: Pick<User, 'id'> },
): Promise<CookieChange[]> {
  const expiresAt = clock.now() + LIFE_MS;
  const id = newUuid();
  await insertSecondStep.run(tx, { id, userId: user.id, method, redirect, attempts: ATTEMPTS, expiresAt });
  return secondStepCookies(sealer, { id, expiresAt }, browser.waiting);
}

/**
 * Starts the second step of a sign-in, even if the browser is trusted.
 *
 * @throws AppError if the account has changed since the first step: PASSWORD_INCORRECT after a sign-in by password,
 *   else ACCOUNT_INACTIVE
 */
export async function askForSecondStep(
  { database, clock, sealer, notes }: Pick<Needs, 'database' | 'clock' | 'sealer' | 'notes'>,
  first: Omit<FirstStep, 'user'> & { user: Pick<User, 'id' | 'username'> },
): Promise<CookieChange[]> {
  const { user, browser, method, password } = first;
  const cookies = await database.transaction(async (tx) => {
    const held = password
      ? await lockUserWithPassword.run(tx, { id: user.id, version: password.version })
      : await lockUser.run(tx, { id: user.id });
    if (held === 0) throw changedMeanwhile(user.id, password);
    if (password) await returnGuessIn(tx, password.guess);
    return holdSignIn(tx, { clock, sealer }, first);
  });
  const { actor } = browser;
  notes.note({ type: 'sign_in.second_step', actor, subject: subjectOf(user), details: { method } });
  return cookies;
}

/**
 * Completes the first step of a sign-in. Either opens the session, or starts a second step in which the user enters a
 * code or sets up a second factor.
 *
 * @throws AppError ACCOUNT_INACTIVE, PASSWORD_INCORRECT or APP_NOT_ALLOWED if the account has changed since the first
 *   step
 */
export async function completeFirstStep(services: Needs, first: FirstStep): Promise<FirstStepOutcome> {
  const { database, settings, dataSealer, clock } = services;
  const { user, browser, method, password } = first;
  if (mustEnrol(settings, user)) return { state: 'enrolment', cookies: await askForSecondStep(services, first) };
  const isAsked = isSecondFactorOn(settings, user);
  const trust = isAsked ? await findTrust(services, browser.trust, user.id) : undefined;
  if (isAsked && !trust) return { state: 'second-step', cookies: await askForSecondStep(services, first) };
  const secondFactor = isAsked ? 'trusted_browser' : 'none';
  const facts = { userId: user.id, method, password, secondFactor, browser } as const;
  const opened = await database.transaction((tx) => openSession(tx, services, facts));
  const signIn = { userId: user.id, known: browser.known, method, now: clock.now() };
  const cookies = signInCookies(services, opened, signIn);
  if (trust && browser.trust.isFormer)
    cookies.push(trustCookie(dataSealer, browser.trust, { userId: user.id, ...trust }));
  return { state: 'signed-in', cookies };
}
