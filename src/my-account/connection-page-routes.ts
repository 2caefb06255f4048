import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession } from '../sessions/guards.ts';
import type { Provider } from '../social/provider.ts';
import { startErrors, startLink, unlink } from './connection-routes.ts';
import {
  accountForm,
  confirmByForm,
  confirmErrors,
  page,
  requireProofInput,
  sending,
  showAccountPage,
  takeShownOnce,
  textOf,
} from './form-guards.ts';
import { type ConnectionForm, connectionForm } from './form-schemas.ts';
import { listConnections } from './list-connections.ts';
import type { AccountView } from './page/account/page.ts';
import { toConnectionsReply } from './schemas.ts';
import type { ShownOnce } from './shown-once.ts';

async function connectionsOf(call: Call): Promise<AccountView> {
  const { database, settings } = call.services;
  const { userId } = await getSession(call);
  const { connections } = toConnectionsReply(await listConnections(database, settings, userId));
  return { view: 'connections', connections, onward: undefined };
}

/**
 * Shows the page of linked accounts. If its form has just started a link, the page redirects the browser to the
 * provider.
 */
async function showConnections(call: Call) {
  const view = await connectionsOf(call);
  const kept = await takeShownOnce(call, 'onward');
  if (view.view !== 'connections' || kept?.kind !== 'onward') return showAccountPage(call, view);
  const label = view.connections.find(({ provider }) => provider === kept.provider)?.label ?? kept.provider;
  call.reply.header('refresh', `0;url=${kept.url}`);
  return showAccountPage(call, { ...view, onward: { label, url: kept.url } });
}

async function sendLink(call: Call<ConnectionForm>, providers: readonly Provider[]): Promise<ShownOnce> {
  await confirmByForm(call);
  const provider = textOf(call.body.provider);
  return { kind: 'onward', provider, url: await startLink(call, providers, provider) };
}

async function sendUnlink(call: Call<ConnectionForm>): Promise<void> {
  await confirmByForm(call);
  await unlink(call, textOf(call.body.provider));
}

/** The page of the user's linked accounts at providers, and its forms. */
export const myConnectionPageRoutes = (providers: readonly Provider[]): AnyRoute[] => [
  defineRoute({
    ...page,
    path: '/authsvc/account/connections',
    operationId: 'showOwnConnectionsPage',
    summary: 'Show your own accounts at sign-in providers',
    handle: showConnections,
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/connections/link',
    operationId: 'sendLinkForm',
    summary: 'Submit the form that starts to link a provider account',
    body: form(connectionForm),
    errors: [...confirmErrors, ...startErrors],
    checkInput: requireProofInput,
    ...accountForm({
      view: 'connections',
      make: (call: Call<ConnectionForm>) => sendLink(call, providers),
      again: connectionsOf,
    }),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/connections/unlink',
    operationId: 'sendUnlinkForm',
    summary: 'Submit the form that removes the link to a provider account',
    body: form(connectionForm),
    errors: [...confirmErrors, 'REF_UNKNOWN', 'LAST_WAY_IN'],
    checkInput: requireProofInput,
    ...accountForm({ view: 'connections', done: 'unlinked', work: sendUnlink, again: connectionsOf }),
  }),
];
