import { readAccountList, setAccountsCookie } from '../accounts/accounts-cookie.ts';
import { subjectOf } from '../events/actor.ts';
import { isTrusted } from '../factors/trusted-browser.ts';
import { actorOf } from '../http/actor.ts';
import type { Call } from '../http/route.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { currentSession } from '../sessions/guards.ts';
import { setSecondStepCookie } from '../sessions/second-step-cookie.ts';
import type { SignInMethod } from '../sessions/session.ts';
import { setMethodCookie, setSessionCookie } from '../sessions/session-cookie.ts';
import { lockUser, lockUserWithPassword } from '../users/queries.ts';
import type { User } from '../users/user.ts';
import { type BrowserFacts, changedMeanwhile, type OpenedSession, openSession } from './open-session.ts';
import { insertSecondStep } from './queries.ts';

const LIFE_MS = 10 * MINUTE_MS;
const ATTEMPTS = 5;

export interface FirstStep {
  method: SignInMethod;
  /** Where to go after the second step; safe already. */
  redirect: string;
  /** The hash that the password was verified against. */
  passwordHash?: string;
}

/** What a sign-in needs to know of the browser. */
export async function browserOf(call: Call): Promise<BrowserFacts> {
  const session = await currentSession(call);
  return { actor: actorOf(call), before: { device: readAccountList(call), sessionId: session?.id } };
}

/** Hands a new session to the browser. */
export function welcome(call: Call, { session, device }: OpenedSession, method: SignInMethod): void {
  setSessionCookie(call, session);
  setAccountsCookie(call, device, session.expiresAt);
  setMethodCookie(call, method);
  call.services.cookies.clear(call.reply, 'secondStep');
}

async function askForSecondStep(call: Call, user: User, { method, redirect, passwordHash }: FirstStep): Promise<void> {
  const { database, clock } = call.services;
  const now = clock.now();
  const id = newUuid();
  const step = { id, userId: user.id, method, redirect, attempts: ATTEMPTS, expiresAt: now + LIFE_MS };
  await database.transaction(async (tx) => {
    const held = passwordHash
      ? await lockUserWithPassword.run(tx, { id: user.id, hash: passwordHash })
      : await lockUser.run(tx, { id: user.id });
    if (held === 0) throw changedMeanwhile(user.id, passwordHash);
    await insertSecondStep.run(tx, step);
  });
  setSecondStepCookie(call, id, now + LIFE_MS);
  const note = { actor: actorOf(call), subject: subjectOf(user), details: { method } };
  call.services.notes.note({ type: 'sign_in.second_step', ...note });
}

/**
 * Ends a first step: opens the session, or asks for the second one. Sets the cookies of the browser.
 *
 * Needs   user: proven by the first step, and allowed to use the application.
 * Throws  AppError ACCOUNT_INACTIVE or PASSWORD_INCORRECT when that is no longer true.
 */
export async function completeFirstStep(
  call: Call,
  user: User,
  first: FirstStep,
): Promise<'signed-in' | 'second-step'> {
  const { services } = call;
  const isAsked = services.settings.AUTHSVC_TWO_FA_ENABLE && user.secondFactorAt !== null;
  if (isAsked && !(await isTrusted(call, user.id))) {
    await askForSecondStep(call, user, first);
    return 'second-step';
  }
  const { method, passwordHash } = first;
  const browser = await browserOf(call);
  const secondFactor = isAsked ? 'trusted_browser' : 'none';
  const facts = { userId: user.id, method, passwordHash, secondFactor, browser } as const;
  welcome(call, await services.database.transaction((tx) => openSession(tx, services, facts)), method);
  return 'signed-in';
}
