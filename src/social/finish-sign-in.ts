import { returnAddress } from '../applications/return-address.ts';
import { AppError, type ErrorParameters } from '../errors/app-error.ts';
import { errorRegistry } from '../errors/registry.ts';
import { changeBy } from '../events/change.ts';
import type { CookieChange, FamilyMember } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { sha256 } from '../lib/digest.ts';
import type { Session } from '../sessions/session.ts';
import { completeFirstStep } from '../signin/complete-first-step.ts';
import { findSecondStep } from '../signin/find-second-step.ts';
import type { BrowserFacts } from '../signin/open-session.ts';
import { mayUseApp, toUser, type User } from '../users/user.ts';
import { refuseAuthorizationError } from './authorization-error.ts';
import { callbackAddress } from './callback-address.ts';
import { leadBack, signInPath } from './lead-back.ts';
import { linkOwnAccount } from './link-account.ts';
import type { AuthorizationAnswer, Provider } from './provider.ts';
import { insertConsumedState, userOfAccount } from './queries.ts';
import { type CallbackQuery, parseParameter } from './schemas.ts';
import { clearedStart, findStart, type Start, usedStartCookie } from './start-cookie.ts';

const SECOND_STEP_PAGE = '/authsvc/2fa';

type Needs = Pick<
  Services,
  'database' | 'registryCache' | 'settings' | 'clock' | 'sealer' | 'dataSealer' | 'notes' | 'log' | 'baseUrl'
>;

/** The request with which the browser comes back from the provider. */
export interface Callback {
  /** Untrusted. The caller removes `state` if the request must change nothing. */
  query: CallbackQuery;
  /** The browser's cookies of started sign-ins. */
  held: readonly FamilyMember[];
  browser: BrowserFacts;
  /** The session in which the browser is signed in, if any. */
  session: Session | undefined;
}

/** The path that the browser goes to, or the error for the person, and the cookies to set in both cases. */
export type CallbackOutcome = { cookies: CookieChange[] } & ({ path: string } | { refusal: AppError });

/**
 * Returns the link that the error page of a repeated callback shows: to the target if the browser is signed in now, to
 * the second step if one is pending, else to the sign-in page.
 */
async function wayOn(
  services: Needs,
  { browser }: Callback,
  { redirect }: Start,
): Promise<Required<ErrorParameters>['goOn']> {
  if (browser.before.sessionId !== undefined) return { path: redirect, words: 'continue' };
  if (await findSecondStep(services, browser.waiting, undefined)) return { path: SECOND_STEP_PAGE, words: 'continue' };
  return { path: signInPath(redirect, services.settings), words: 'signIn' };
}

/**
 * Returns the started sign-in that a callback belongs to.
 *
 * @throws AppError SOCIAL_START_UNKNOWN if this browser did not start it, or another session did
 */
function requireStart(services: Needs, { name }: Provider['settings'], { query, held, session }: Callback): Start {
  const state = parseParameter(query.state);
  const start = state === undefined ? undefined : findStart({ ...services, held }, name, state);
  const isElsewhere = start?.linkFor !== undefined && start.linkFor !== session?.ref;
  if (!start || isElsewhere) throw new AppError('SOCIAL_START_UNKNOWN');
  return start;
}

/** Checks the target of a started sign-in again, because an application may have been disabled in the meantime. */
const stillAllowed = (services: Needs, provider: Provider, { redirect }: Start): Promise<string> =>
  returnAddress(services, redirect).catch((error: unknown) => {
    throw leadBack(error, { provider: provider.settings.name, redirect }, services.settings);
  });

/**
 * Marks a started sign-in as used. The database decides which callback is the first, because each of several
 * simultaneous callbacks can have a copy of the cookie that says that the sign-in is unused.
 *
 * @throws AppError SOCIAL_START_USED for every callback except the first
 */
async function consumeState(services: Needs, provider: Provider, callback: Callback, start: Start): Promise<void> {
  const { database, settings } = services;
  const { state, expiresAt, redirect, isUsed } = start;
  const spent = isUsed
    ? 0
    : await insertConsumedState.run(database, { stateHash: sha256(state), expiresAt }).catch((error: unknown) => {
        throw leadBack(error, { provider: provider.settings.name, redirect }, settings);
      });
  if (spent === 0) throw new AppError('SOCIAL_START_USED', { goOn: await wayOn(services, callback, start) });
}

function readAnswer(services: Needs, provider: Provider, query: CallbackQuery, start: Start): AuthorizationAnswer {
  const { state, nonce, verifier } = start;
  refuseAuthorizationError(query, [state, nonce, verifier, provider.settings.clientSecret ?? '']);
  const code = parseParameter(query.code);
  const issuer = parseParameter(query.iss);
  if (code === undefined) throw new AppError('PROVIDER_CODE_INVALID');
  if (query.iss !== undefined && issuer === undefined) throw new AppError('PROVIDER_PROOF_INVALID');
  return { redirectUri: callbackAddress(services, provider.settings.name), code, state, issuer, nonce, verifier };
}

/** Returns the user to whom a provider account is linked. Throws if there is none or the user may not sign in here. */
async function allowedUser({ database, settings }: Needs, provider: Provider, accountId: string): Promise<User> {
  const row = await userOfAccount.first(database, { provider: provider.settings.name, accountId });
  if (!row) throw new AppError('PROVIDER_ACCOUNT_NOT_LINKED', { providerAccount: accountId });
  const user = toUser(row);
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
  return user;
}

/** Logs why a sign-in failed. Skips errors with a 5xx status, because the error handler logs those. */
function logReason({ log }: Needs, provider: Provider, { code, parameters }: AppError, requestId?: string): void {
  const { cause } = parameters;
  if (cause === undefined || errorRegistry[code].status >= 500) return;
  const { name } = provider.settings;
  log.warn({ err: cause, code, provider: name, request_id: requestId }, `sign-in through ${name} failed`);
}

/**
 * Completes a sign-in, or the link of an account, when the provider sends the browser back.
 *
 * A started sign-in can be completed only once. It is marked as used in the database before authsvc calls the provider.
 * After a success, its cookie stays and records where the sign-in went. After an error, the cookie is cleared.
 *
 * @returns path: the target of the sign-in, or the page of the second step. Or refusal: PROVIDER_… if the provider did
 *   not prove which account it is or the account is not linked; ACCOUNT_INACTIVE; APP_NOT_ALLOWED; for a link
 *   CONNECTION_TAKEN, CONNECTION_EXISTS and NOT_SIGNED_IN; LOGIN_FAILED for a fault
 * @throws AppError SOCIAL_START_UNKNOWN if this browser did not start it; SOCIAL_START_USED if it is already completed;
 *   LOGIN_FAILED for a fault before the provider is called
 * @see RFC 6749 §10.12; RFC 9700 §2.1, §4.4; OWASP ASVS 5.0 10.1.2, 10.2.1
 */
export async function finishSignIn(services: Needs, provider: Provider, callback: Callback): Promise<CallbackOutcome> {
  const begun = requireStart(services, provider.settings, callback);
  const start = { ...begun, redirect: await stillAllowed(services, provider, begun) };
  await consumeState(services, provider, callback, start);
  const { redirect } = start;
  const { browser, held, session } = callback;
  const { name } = provider.settings;
  try {
    const accountId = await provider.accountId(readAnswer(services, provider, callback.query, start), services);
    const used = usedStartCookie({ ...services, held }, start);
    if (start.linkFor !== undefined) {
      await linkOwnAccount(changeBy(services, browser.actor), session, { provider: name, accountId });
      return { path: redirect, cookies: [used] };
    }
    const user = await allowedUser(services, provider, accountId);
    const { state, cookies } = await completeFirstStep(services, { user, browser, method: name, redirect });
    return { path: state === 'signed-in' ? redirect : SECOND_STEP_PAGE, cookies: [...cookies, used] };
  } catch (error) {
    const refusal = leadBack(error, { ...start, provider: name }, services.settings);
    logReason(services, provider, refusal, browser.actor.requestId);
    return { refusal, cookies: [clearedStart(start)] };
  }
}
