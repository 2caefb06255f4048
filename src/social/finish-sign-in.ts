import { AppError, type ErrorParameters } from '../errors/app-error.ts';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import type { Call } from '../http/route.ts';
import { sha256 } from '../lib/digest.ts';
import { isSignedIn } from '../sessions/guards.ts';
import { completeFirstStep } from '../signin/complete-first-step.ts';
import { findSecondStep } from '../signin/find-second-step.ts';
import { mayUseApp, toUser, type User } from '../users/user.ts';
import { callbackAddress } from './callback-address.ts';
import { leadBack, signInPath } from './lead-back.ts';
import type { AuthorizationAnswer, Provider } from './provider.ts';
import { insertConsumedState, userOfAccount } from './queries.ts';
import { type CallbackQuery, parseParameter } from './schemas.ts';
import { clearStartCookie, consumeStart, findStart, type Start } from './start-cookie.ts';

const SECOND_STEP_PAGE = '/authsvc/2fa';

type CallbackCall = Call<unknown, CallbackQuery>;

/** What providers say instead of a code (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6). */
const providerErrors: Record<string, ErrorName> = {
  access_denied: 'PROVIDER_CANCELLED',
  login_required: 'PROVIDER_CANCELLED',
  consent_required: 'PROVIDER_CANCELLED',
  interaction_required: 'PROVIDER_CANCELLED',
  account_selection_required: 'PROVIDER_CANCELLED',
  server_error: 'PROVIDER_UNREACHABLE',
  temporarily_unavailable: 'PROVIDER_UNREACHABLE',
  invalid_request: 'PROVIDER_MISCONFIGURED',
  invalid_scope: 'PROVIDER_MISCONFIGURED',
  unauthorized_client: 'PROVIDER_MISCONFIGURED',
  redirect_uri_mismatch: 'PROVIDER_MISCONFIGURED',
  application_suspended: 'PROVIDER_MISCONFIGURED',
  unsupported_response_type: 'PROVIDER_PROOF_INVALID',
};

/** Anything else, empty and repeated errors too, is no fault of a provider's: any browser can write it. */
function refuseProviderError(error: unknown): void {
  if (error === undefined) return;
  const known = typeof error === 'string' && Object.hasOwn(providerErrors, error) ? error : undefined;
  const name = (known && providerErrors[known]) || 'PROVIDER_PROOF_INVALID';
  throw new AppError(name, { cause: new Error(`the provider sent the error ${known ?? 'that is in no standard'}`) });
}

/** Where a start that is used up has led. */
async function wayOn(call: CallbackCall, { redirect }: Start): Promise<Required<ErrorParameters>['goOn']> {
  if (await isSignedIn(call)) return { path: redirect, words: 'continue' };
  if (await findSecondStep(call)) return { path: SECOND_STEP_PAGE, words: 'continue' };
  return { path: signInPath(redirect, call.services.settings), words: 'signIn' };
}

/** The start that this callback belongs to; HEAD has none, for it must change nothing. Throws SOCIAL_START_UNKNOWN. */
function requireStart(call: CallbackCall, provider: Provider): Start {
  const state = call.request.method === 'HEAD' ? undefined : parseParameter(call.query.state);
  const start = state === undefined ? undefined : findStart(call, provider.settings.name, state);
  if (!start) throw new AppError('SOCIAL_START_UNKNOWN');
  return start;
}

/**
 * Spends the state of a start, for this callback alone.
 *
 * Throws  AppError SOCIAL_START_USED for every callback but the first.
 * Why     the cookie has copies: those that came at once all say that it is unused.
 */
async function consumeState(call: CallbackCall, provider: Provider, start: Start): Promise<void> {
  const { database, settings } = call.services;
  const { state, expiresAt, redirect, isUsed } = start;
  const spent = isUsed
    ? 0
    : await insertConsumedState.run(database, { stateHash: sha256(state), expiresAt }).catch((error: unknown) => {
        throw leadBack(error, { provider: provider.settings.name, redirect }, settings);
      });
  if (spent === 0) throw new AppError('SOCIAL_START_USED', { goOn: await wayOn(call, start) });
}

function readAnswer({ query, services }: CallbackCall, provider: Provider, start: Start): AuthorizationAnswer {
  refuseProviderError(query.error);
  const code = parseParameter(query.code);
  const issuer = parseParameter(query.iss);
  if (code === undefined) throw new AppError('PROVIDER_CODE_INVALID');
  if (query.iss !== undefined && issuer === undefined) throw new AppError('PROVIDER_PROOF_INVALID');
  const { state, nonce, verifier } = start;
  return { redirectUri: callbackAddress(services, provider.settings.name), code, state, issuer, nonce, verifier };
}

/** The user who owns the account, and may sign in here. */
async function allowedUser(call: Call, provider: Provider, accountId: string): Promise<User> {
  const { database, settings } = call.services;
  const row = await userOfAccount.first(database, { provider: provider.settings.name, accountId });
  if (!row) throw new AppError('PROVIDER_ACCOUNT_NOT_LINKED', { providerAccount: accountId });
  const user = toUser(row);
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
  return user;
}

/** Leaves the reason of a refusal in the log; what is answered with 5xx leaves it there anyway. */
function logReason({ request, services }: Call, provider: Provider, { code, parameters }: AppError): void {
  const { cause } = parameters;
  if (cause === undefined || errorRegistry[code].status >= 500) return;
  services.log.warn({ err: cause, code, request_id: request.id }, `sign-in through ${provider.settings.name} failed`);
}

/**
 * Finishes a sign-in for the browser that a provider sent back.
 *
 * Gives   where the browser goes from here: on to where it wanted, or to the second step.
 * Throws  AppError SOCIAL_START_… when this browser did not start it; PROVIDER_… when the provider did not prove whose
 *         account it is, or the account is linked to nobody; ACCOUNT_INACTIVE, APP_NOT_ALLOWED.
 * Why     a start counts once: it is spent in the database before the provider is asked. Its cookie then tells where
 *         success has led, and is cleared by any refusal.
 * Source  RFC 6749 §10.12; RFC 9700 §2.1, §4.4; ASVS 5.0 10.1.2, 10.2.1
 */
export async function finishSignIn(call: CallbackCall, provider: Provider): Promise<string> {
  const start = requireStart(call, provider);
  await consumeState(call, provider, start);
  const { redirect } = start;
  try {
    const accountId = await provider.accountId(readAnswer(call, provider, start), call.services);
    const user = await allowedUser(call, provider, accountId);
    const outcome = await completeFirstStep(call, user, { method: provider.settings.name, redirect });
    consumeStart(call, start);
    return outcome === 'second-step' ? SECOND_STEP_PAGE : redirect;
  } catch (error) {
    clearStartCookie(call, start);
    const refusal = leadBack(error, { provider: provider.settings.name, redirect }, call.services.settings);
    logReason(call, provider, refusal);
    throw refusal;
  }
}
