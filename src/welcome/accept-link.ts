import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import type { UsedFactor } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import { addPasskey, verifyNewPasskey } from '../factors/add-passkey.ts';
import { parseCode } from '../factors/code.ts';
import { mustEnrol } from '../factors/confirmation.ts';
import type { AnsweringBrowser } from '../factors/passkey-challenge.ts';
import { proveCode } from '../factors/prove-code.ts';
import { removeSecondFactor } from '../factors/second-factor.ts';
import { consumeProof, type Proof } from '../factors/verify-code.ts';
import type { Services } from '../http/route.ts';
import type { Asker } from '../lib/fair-queue.ts';
import { requireOtherPassword } from '../signin/check-password.ts';
import { type FirstStepOutcome, holdSignIn } from '../signin/complete-first-step.ts';
import { type BrowserFacts, lockSignIn, openSession, type SignInFacts } from '../signin/open-session.ts';
import { signInCookies } from '../signin/sign-in-cookies.ts';
import { hashNewPassword } from '../users/add-user.ts';
import { contextWords, newPasswordRefusal } from '../users/password-rules.ts';
import { lockUser, setPasswordHash } from '../users/queries.ts';
import { mayUseApp } from '../users/user.ts';
import { getLink, type WelcomeLink } from './find-link.ts';
import { consumeWelcomeLink } from './queries.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer' | 'passwords' | 'baseUrl'>;

/** The credential that the user chooses for future sign-ins. */
export type NewCredential =
  | { kind: 'password'; newPassword: string; asker: Asker }
  /** `response` is untrusted JSON from the browser. */
  | { kind: 'passkey'; response: unknown; from: AnsweringBrowser };

export interface LinkUse {
  code: string;
  credential: NewCredential;
  /** The code of the second factor, as typed. */
  token: string | undefined;
  browser: BrowserFacts;
}

function requireAccess(settings: Services['settings'], { user }: WelcomeLink): void {
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
}

/** Counts a guess, then checks the code of the second factor. */
async function proveFactor(services: Needs, userId: number, typed: string | undefined): Promise<Proof> {
  if (!typed) throw new AppError('SECOND_STEP_CODE_REQUIRED', { field: 'token' });
  const code = parseCode(typed);
  if (!code) throw new AppError('TOTP_CODE_INCORRECT', { userId });
  const proof = await proveCode(services, userId, code);
  if (!proof) throw new AppError('TOTP_CODE_INCORRECT', { userId });
  return proof;
}

/** Stores the chosen credential, in the transaction that uses up the link. */
type Give = (tx: Transaction, now: number) => Promise<Pick<SignInFacts, 'passkeyRef'>>;

async function preparePassword(
  services: Needs,
  { user, kind }: WelcomeLink,
  { newPassword, asker }: { newPassword: string; asker: Asker },
  actor: Actor,
): Promise<Give> {
  await requireOtherPassword(services, user, { password: newPassword, asker });
  const words = contextWords(user.username, services.settings);
  const hash = await hashNewPassword(services.passwords, newPassword, words, asker);
  return async (tx) => {
    await setPasswordHash.run(tx, { id: user.id, hash });
    await recordEvent(tx, { type: 'password.changed', actor, subject: subjectOf(user), details: { way: kind } });
    return {};
  };
}

/**
 * Prepares a passkey that replaces the password. The password is deleted, because the user may have requested the link
 * after someone else learned it.
 */
async function preparePasskey(
  services: Needs,
  { user, kind, codeHash }: WelcomeLink,
  answer: { response: unknown; from: AnsweringBrowser },
  actor: Actor,
): Promise<Give> {
  const passkey = await verifyNewPasskey(services, { ...answer, purpose: `link ${codeHash}` });
  return async (tx, now) => {
    await setPasswordHash.run(tx, { id: user.id, hash: '' });
    const { ref } = await addPasskey(tx, { actor, now }, { user, passkey, name: undefined, way: kind });
    return { passkeyRef: ref };
  };
}

/** Whether the user is signed in or must set up a second factor next, and the cookies to set. */
export type LinkOutcome = Pick<FirstStepOutcome, 'cookies'> & { state: 'signed-in' | 'enrolment' };

/**
 * Returns whether the user must set up a second factor before the session is opened. A user who chooses a passkey need
 * not, because a passkey is a second factor itself.
 */
function enrols(settings: Needs['settings'], { user, removesFactor }: WelcomeLink, { kind }: NewCredential): boolean {
  const secondFactorAt = removesFactor ? null : user.secondFactorAt;
  return kind === 'password' && mustEnrol(settings, { role: user.role, secondFactorAt });
}

interface Acceptance {
  link: WelcomeLink;
  give: Give;
  proof: Proof | undefined;
  browser: BrowserFacts;
}

/** Uses up the link and the code, and stores the chosen credential. The session is opened afterwards. */
async function consumeLink(tx: Transaction, services: Needs, { link, give, proof, browser }: Acceptance) {
  const { dataSealer, clock } = services;
  const { user, codeHash } = link;
  const now = clock.now();
  if ((await lockUser.run(tx, { id: user.id })) === 0) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if ((await consumeWelcomeLink.run(tx, { codeHash, now })) === 0) throw new AppError('LINK_INVALID');
  if (proof && !(await consumeProof(tx, dataSealer, { userId: user.id, proof, now })))
    throw new AppError('TOTP_CODE_INCORRECT', { userId: user.id });
  if (link.removesFactor) await removeSecondFactor(tx, browser.actor, user);
  return give(tx, now);
}

function usedFactor(credential: NewCredential, proof: Proof | undefined): UsedFactor {
  if (credential.kind === 'passkey') return 'passkey';
  if (!proof) return 'none';
  return proof.kind === 'recovery' ? 'recovery_code' : 'totp';
}

/**
 * Returns a link that its user may use now.
 *
 * @throws AppError LINK_INVALID, ACCOUNT_INACTIVE, APP_NOT_ALLOWED
 */
export async function requireUsableLink(
  services: Pick<Services, 'database' | 'settings' | 'clock'>,
  code: string,
): Promise<WelcomeLink> {
  const { database, settings, clock } = services;
  const link = await getLink({ database, settings, now: clock.now() }, code);
  requireAccess(settings, link);
  return link;
}

/**
 * Uses a link. It sets the user's password, or adds a passkey and deletes the password. It ends everything that a change
 * of the password ends. Then it signs the user in, beside the other accounts of the browser. A user who must have a
 * second factor and has chosen a password without one sets it up before the session is opened.
 *
 * If an error is thrown, the link still works. If it is used several times at once, only one use succeeds.
 *
 * @returns the cookies of the new session, or of the sign-in that still needs a second factor
 * @throws AppError LINK_INVALID; ACCOUNT_INACTIVE; APP_NOT_ALLOWED; PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG,
 *   PASSWORD_TOO_COMMON, PASSWORD_UNCHANGED; PASSKEY_INVALID, PASSKEY_TAKEN, LIMIT_REACHED; NOT_FOUND for a passkey
 *   while passkeys are off; SECOND_STEP_CODE_REQUIRED, TOTP_CODE_INCORRECT, TOO_MANY_CODES, SECOND_STEP_MISCONFIGURED
 * @see OWASP ASVS 5.0 6.4.1, 6.4.3
 */
export async function acceptLink(services: Needs, use: LinkUse): Promise<LinkOutcome> {
  const { database, settings, clock } = services;
  const { credential, browser } = use;
  const link = await requireUsableLink(services, use.code);
  const { id: userId, username } = link.user;
  const refusal =
    credential.kind === 'password'
      ? newPasswordRefusal(credential.newPassword, contextWords(username, settings))
      : undefined;
  if (refusal) throw refusal;
  const proof = link.asksForCode ? await proveFactor(services, userId, use.token) : undefined;
  const give =
    credential.kind === 'password'
      ? await preparePassword(services, link, credential, browser.actor)
      : await preparePasskey(services, link, credential, browser.actor);
  return database.transaction(async (tx) => {
    await lockSignIn(tx, { userId, browser });
    const given = await consumeLink(tx, services, { link, give, proof, browser });
    if (enrols(settings, link, credential)) {
      const first = { user: link.user, browser, method: 'link', redirect: settings.LOGIN_REDIRECT_URL };
      return { state: 'enrolment', cookies: await holdSignIn(tx, services, first) };
    }
    const secondFactor = usedFactor(credential, proof);
    const opened = await openSession(tx, services, { userId, method: 'link', secondFactor, ...given, browser });
    const signIn = { userId, known: browser.known, method: credential.kind, now: clock.now() };
    return { state: 'signed-in', cookies: signInCookies(services, opened, signIn) };
  });
}
