import { AppError } from '../errors/app-error.ts';
import { requireConfirmed } from '../factors/guards.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { isUsable } from '../settings/identity-providers.ts';
import { unlinkOwnAccount } from '../social/link-account.ts';
import type { Provider } from '../social/provider.ts';
import { listLinks } from '../social/queries.ts';
import { startSignIn } from '../social/start-sign-in.ts';
import { changeOf, changing, reading } from './guards.ts';
import { listConnections } from './list-connections.ts';
import {
  connectionsReply,
  doneReply,
  type ProviderParams,
  plainRequest,
  providerParams,
  startReply,
  toConnectionsReply,
} from './schemas.ts';

const CONNECTIONS_PAGE = '/authsvc/account/connections';

async function showConnections(call: Call) {
  const { database, settings } = call.services;
  const { userId } = await getSession(call);
  return toConnectionsReply(await listConnections(database, settings, userId));
}

/** Returns the provider with this name. Throws an AppError if its accounts cannot be linked. */
function requireLinkable(providers: readonly Provider[], name: string): Provider {
  const provider = providers.find(({ settings }) => settings.name === name);
  if (!provider) throw new AppError('NOT_FOUND');
  if (!provider.settings.isEnabled) throw new AppError('PROVIDER_OFF', { provider: name });
  if (!isUsable(provider.settings)) throw new AppError('PROVIDER_MISCONFIGURED', { provider: name });
  return provider;
}

/**
 * Starts to link an account at a provider to the user of the call's session.
 *
 * @returns the URL of the provider's page, where the user continues
 */
export async function startLink(call: Call, providers: readonly Provider[], name: string): Promise<string> {
  const { services, request } = call;
  const provider = requireLinkable(providers, name);
  const { ref, userId } = await getSession(call);
  const links = await listLinks.all(services.database, { userId });
  if (links.some((link) => link.provider === name)) throw new AppError('CONNECTION_EXISTS', { provider: name });
  const held = services.cookies.readFamily(request, 'socialStart');
  const { url, cookies } = await startSignIn(services, provider, { asked: CONNECTIONS_PAGE, held, linkFor: ref });
  services.cookies.apply(call, cookies);
  return url.href;
}

/** Removes the link to a provider from the user of the call's session. */
export async function unlink(call: Call, provider: string): Promise<void> {
  const { settings } = call.services;
  await unlinkOwnAccount({ ...changeOf(call), settings }, await getSession(call), provider);
}

/** The errors of `startLink`. */
export const startErrors = [
  'NOT_FOUND',
  'PROVIDER_OFF',
  'PROVIDER_MISCONFIGURED',
  'PROVIDER_ANSWER_INVALID',
  'PROVIDER_UNREACHABLE',
  'CONNECTION_EXISTS',
] as const;

/** The JSON routes for the user's linked accounts at providers. */
export const myConnectionRoutes = (providers: readonly Provider[]): AnyRoute[] => [
  defineRoute({
    ...reading,
    path: '/authsvc/api/account/connections',
    operationId: 'listConnections',
    summary: 'List your own provider accounts, and the providers that are turned on',
    replies: { 200: connectionsReply },
    handle: showConnections,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/connections/:provider',
    operationId: 'startConnection',
    summary: "Start to link a provider account: return the URL of the provider's page",
    guards: [requireCsrf, requireConfirmed],
    params: providerParams,
    body: json(plainRequest),
    replies: { 200: startReply },
    errors: startErrors,
    handle: async (call: Call<unknown, unknown, ProviderParams>) => ({
      success: true,
      redirect_url: await startLink(call, providers, call.params.provider),
    }),
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/connections/:provider',
    operationId: 'removeConnection',
    summary: 'Remove the link to a provider account; your other sessions that were opened through it end',
    guards: [requireCsrf, requireConfirmed],
    params: providerParams,
    body: json(plainRequest),
    replies: { 200: doneReply },
    errors: ['REF_UNKNOWN', 'LAST_WAY_IN'],
    handle: async (call: Call<unknown, unknown, ProviderParams>) => {
      await unlink(call, call.params.provider);
      return { success: true };
    },
  }),
];
