import type { ErrorName } from '../errors/registry.ts';
import type { Limit } from '../http/rate-limit.ts';
import { redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { currentSession } from '../sessions/guards.ts';
import { browserOf } from '../signin/guards.ts';
import { callbackPath } from './callback-address.ts';
import { finishSignIn } from './finish-sign-in.ts';
import { requireOwnStart, requireProvider } from './guards.ts';
import type { Provider } from './provider.ts';
import { type CallbackQuery, callbackQuery, type StartQuery, startQuery } from './schemas.ts';
import { startSignIn } from './start-sign-in.ts';

/** Returns the rate limit that the first request of a sign-in and its callback share. */
const limitOf = (name: string): Limit => ({ name: `social-${name}`, error: 'TOO_MANY_REQUESTS' });

const providerErrors: readonly ErrorName[] = [
  'PROVIDER_MISCONFIGURED',
  'PROVIDER_ANSWER_INVALID',
  'PROVIDER_UNREACHABLE',
];

/** Returns the cookies of started sign-ins in the browser that makes a call. */
const heldStarts = ({ request, services }: Call) => services.cookies.readFamily(request, 'socialStart');

async function start(call: Call<unknown, StartQuery>, provider: Provider) {
  const visit = { asked: call.query.redirect, held: heldStarts(call) };
  const { url, cookies } = await startSignIn(call.services, provider, visit);
  call.services.cookies.apply(call, cookies);
  return redirect(url.href);
}

async function finish(call: Call<unknown, CallbackQuery>, provider: Provider) {
  const { services, request } = call;
  request.signInMethod = provider.settings.name;
  // A HEAD request must change nothing. Without the state, the callback belongs to no started sign-in.
  const query = request.method === 'HEAD' ? { ...call.query, state: undefined } : call.query;
  const callback = {
    query,
    held: heldStarts(call),
    browser: await browserOf(call),
    session: await currentSession(call),
  };
  const outcome = await finishSignIn(services, provider, callback);
  services.cookies.apply(call, outcome.cookies);
  if ('refusal' in outcome) throw outcome.refusal;
  return redirect(outcome.path);
}

const routesOf = (provider: Provider): AnyRoute[] => [
  defineRoute({
    method: 'GET',
    path: `/authsvc/api/${provider.settings.name}/login`,
    operationId: `startSignIn-${provider.settings.name}`,
    summary: `Start a sign-in through ${provider.settings.name}: to the provider's page`,
    kind: 'page',
    access: [requireOwnStart],
    guards: [requireProvider(provider.settings)],
    limit: limitOf(provider.settings.name),
    query: startQuery,
    replies: { 302: redirectReply("The provider's page") },
    errors: providerErrors,
    failure: 'LOGIN_FAILED',
    handle: (call) => start(call, provider),
  }),
  defineRoute({
    method: 'GET',
    path: callbackPath(provider.settings.name),
    operationId: `finishSignIn-${provider.settings.name}`,
    summary: `Finish a sign-in through ${provider.settings.name}; the provider sends the browser here`,
    kind: 'page',
    alwaysErrorPage: true,
    guards: [requireProvider(provider.settings)],
    limit: limitOf(provider.settings.name),
    query: callbackQuery,
    replies: { 302: redirectReply('The page that the visitor wanted to open, or the page of the second step') },
    errors: [
      ...providerErrors,
      'SOCIAL_START_UNKNOWN',
      'SOCIAL_START_USED',
      'PROVIDER_CANCELLED',
      'PROVIDER_CODE_INVALID',
      'PROVIDER_PROOF_INVALID',
      'PROVIDER_ACCOUNT_NOT_LINKED',
      'CONNECTION_TAKEN',
      'CONNECTION_EXISTS',
      'ACCOUNT_INACTIVE',
      'APP_NOT_ALLOWED',
    ],
    failure: 'LOGIN_FAILED',
    handle: (call) => finish(call, provider),
  }),
];

/** Returns the routes of sign-in through each of these providers. */
export const socialRoutes = (providers: readonly Provider[]): AnyRoute[] => providers.flatMap(routesOf);
