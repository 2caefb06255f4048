import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import { parseCode } from '../factors/code.ts';
import { proveCode } from '../factors/prove-code.ts';
import { removeSecondFactor } from '../factors/second-factor.ts';
import { consumeProof, type Proof } from '../factors/verify-code.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import type { Asker } from '../lib/fair-queue.ts';
import { type BrowserFacts, lockSignIn, openSession } from '../signin/open-session.ts';
import { signInCookies } from '../signin/sign-in-cookies.ts';
import { hashNewPassword } from '../users/add-user.ts';
import { contextWords, newPasswordRefusal } from '../users/password-rules.ts';
import { lockUser, setPasswordHash } from '../users/queries.ts';
import { mayUseApp } from '../users/user.ts';
import { getLink, type WelcomeLink } from './find-link.ts';
import { consumeWelcomeLink } from './queries.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer' | 'passwords'>;

export interface LinkUse {
  code: string;
  newPassword: string;
  /** The typed code of the second factor. */
  token: string | undefined;
  browser: BrowserFacts;
  asker: Asker;
}

function requireAccess({ settings }: Needs, { user }: WelcomeLink): void {
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
}

/** Counts a guess, then checks the code. */
async function proveFactor(services: Needs, userId: number, typed: string | undefined): Promise<Proof> {
  if (!typed) throw new AppError('SECOND_STEP_CODE_REQUIRED', { field: 'token' });
  const code = parseCode(typed);
  if (!code) throw new AppError('TOTP_CODE_INCORRECT', { userId });
  const proof = await proveCode(services, userId, code);
  if (!proof) throw new AppError('TOTP_CODE_INCORRECT', { userId });
  return proof;
}

interface Acceptance {
  link: WelcomeLink;
  hash: string;
  proof: Proof | undefined;
  browser: BrowserFacts;
}

/** Uses up link and code and sets the password, before the session is opened. */
async function setPassword(tx: Transaction, services: Needs, { link, hash, proof, browser }: Acceptance) {
  const { dataSealer, clock } = services;
  const { user, kind, codeHash } = link;
  const now = clock.now();
  const { actor } = browser;
  if ((await lockUser.run(tx, { id: user.id })) === 0) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if ((await consumeWelcomeLink.run(tx, { codeHash, now })) === 0) throw new AppError('LINK_INVALID');
  if (proof && !(await consumeProof(tx, dataSealer, { userId: user.id, proof, now })))
    throw new AppError('TOTP_CODE_INCORRECT', { userId: user.id });
  if (link.removesFactor) await removeSecondFactor(tx, actor, user);
  await setPasswordHash.run(tx, { id: user.id, hash });
  await recordEvent(tx, { type: 'password.changed', actor, subject: subjectOf(user), details: { way: kind } });
}

/**
 * Uses a link: sets the password of its user, ends what a new password ends, and signs the user in beside the other
 * accounts of the browser.
 *
 * After a refusal the link still works. Of several uses at the same time, one wins.
 *
 * @returns the cookies of the new session
 * @throws AppError LINK_INVALID; ACCOUNT_INACTIVE; APP_NOT_ALLOWED; PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG,
 *   PASSWORD_TOO_COMMON; SECOND_STEP_CODE_REQUIRED, TOTP_CODE_INCORRECT, TOO_MANY_CODES, SECOND_STEP_MISCONFIGURED
 * @see OWASP ASVS 5.0 6.4.1, 6.4.3
 */
export async function acceptLink(services: Needs, use: LinkUse): Promise<CookieChange[]> {
  const { database, settings, passwords, clock } = services;
  const { newPassword, browser } = use;
  const link = await getLink({ database, settings, now: clock.now() }, use.code);
  const { user } = link;
  requireAccess(services, link);
  const words = contextWords(user.username, settings);
  const refusal = newPasswordRefusal(newPassword, words);
  if (refusal) throw refusal;
  const proof = link.asksForCode ? await proveFactor(services, user.id, use.token) : undefined;
  const hash = await hashNewPassword(passwords, newPassword, words, use.asker);
  return database.transaction(async (tx) => {
    await lockSignIn(tx, { userId: user.id, browser });
    await setPassword(tx, services, { link, hash, proof, browser });
    const secondFactor = proof ? (proof.kind === 'recovery' ? 'recovery_code' : 'totp') : 'none';
    const opened = await openSession(tx, services, { userId: user.id, method: 'link', secondFactor, browser });
    const signIn = { userId: user.id, known: browser.known, method: 'password', now: clock.now() };
    return signInCookies(services, opened, signIn);
  });
}
