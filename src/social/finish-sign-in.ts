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

/** The callback of a browser from a provider. */
export interface Callback {
  /** Untrusted. Has no state if the request must change nothing. */
  query: CallbackQuery;
  /** The starts that the browser keeps. */
  held: readonly FamilyMember[];
  browser: BrowserFacts;
  /** The session of the browser. */
  session: Session | undefined;
}

/** Where the browser goes from here, or the refusal, with cookies to set. */
export type CallbackOutcome = { cookies: CookieChange[] } & ({ path: string } | { refusal: AppError });

/** Where a used start went to. */
async function wayOn(
  services: Needs,
  { browser }: Callback,
  { redirect }: Start,
): Promise<Required<ErrorParameters>['goOn']> {
  if (browser.before.sessionId !== undefined) return { path: redirect, words: 'continue' };
  if (await findSecondStep(services, browser.waiting, undefined)) return { path: SECOND_STEP_PAGE, words: 'continue' };
  return { path: signInPath(redirect, services.settings), words: 'signIn' };
}

/** The start that a callback belongs to. Throws SOCIAL_START_UNKNOWN. */
function requireStart(services: Needs, { name }: Provider['settings'], { query, held, session }: Callback): Start {
  const state = parseParameter(query.state);
  const start = state === undefined ? undefined : findStart({ ...services, held }, name, state);
  const isElsewhere = start?.linkFor !== undefined && start.linkFor !== session?.ref;
  if (!start || isElsewhere) throw new AppError('SOCIAL_START_UNKNOWN');
  return start;
}

/** Where a start goes to now, because an application may have been disabled since. */
const stillAllowed = (services: Needs, provider: Provider, { redirect }: Start): Promise<string> =>
  returnAddress(services, redirect).catch((error: unknown) => {
    throw leadBack(error, { provider: provider.settings.name, redirect }, services.settings);
  });

/**
 * Uses up the state of a start for this callback only. The database decides, because copies of the cookie that arrive
 * at the same time all say that it is unused.
 *
 * @throws AppError SOCIAL_START_USED for every callback but the first
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

/** The user who owns the account, and may sign in here. */
async function allowedUser({ database, settings }: Needs, provider: Provider, accountId: string): Promise<User> {
  const row = await userOfAccount.first(database, { provider: provider.settings.name, accountId });
  if (!row) throw new AppError('PROVIDER_ACCOUNT_NOT_LINKED', { providerAccount: accountId });
  const user = toUser(row);
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
  return user;
}

/** Logs the reason of a refusal, unless it is answered with 5xx, which the error handler logs. */
function logReason({ log }: Needs, provider: Provider, { code, parameters }: AppError, requestId?: string): void {
  const { cause } = parameters;
  if (cause === undefined || errorRegistry[code].status >= 500) return;
  const { name } = provider.settings;
  log.warn({ err: cause, code, provider: name, request_id: requestId }, `sign-in through ${name} failed`);
}

/**
 * Finishes a sign-in, or the link of an account, for the browser that a provider sent back.
 *
 * A start works once: it is used up in the database before authsvc asks the provider. After a success its cookie says
 * where the sign-in went to; any refusal clears it.
 *
 * @returns where the browser goes: to its return address, or to the second step. Or the refusal: PROVIDER_… if the
 * provider did not prove whose account it is, or the account is not linked; ACCOUNT_INACTIVE, APP_NOT_ALLOWED
 * @throws AppError SOCIAL_START_… if this browser did not start it, or has finished it
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
