import type { Settings } from '../../settings/table.ts';
import { parseAccountId } from '../account-id.ts';
import type { Issuer, KnownIssuers } from '../openid-connect.ts';
import type { Provider, ProviderServices } from '../provider.ts';

const known = new WeakMap<Settings, KnownIssuers>();

function contextOf({ settings, clock }: ProviderServices) {
  const issuers: KnownIssuers = known.get(settings) ?? new Map();
  known.set(settings, issuers);
  return { known: issuers, now: clock.now() };
}

const issuerOf = (settings: Settings): Issuer => ({
  url: settings.WEBSSO_ISSUER,
  clientId: settings.WEBSSO_CLIENT_ID ?? '',
  clientSecret: settings.WEBSSO_CLIENT_SECRET ?? '',
  scope: settings.WEBSSO_SCOPE,
  mayUseHttp: !settings.IS_DEPLOYED && settings.WEBSSO_ISSUER.startsWith('http:'),
});

/** Loaded when somebody signs in this way: the library costs a command, or a start of the service, 40 ms. */
const openIdConnect = () => import('../openid-connect.ts');

/** Sign-in through an OpenID Provider: Google, or by its settings any issuer with discovery. */
export const websso: Provider = {
  name: 'websso',
  isEnabled: (settings) => settings.WEBSSO_LOGIN_ENABLED,
  hasCredentials: (settings) => Boolean(settings.WEBSSO_CLIENT_ID && settings.WEBSSO_CLIENT_SECRET),
  startUrl: async (request, services) => {
    const { authorizationUrl } = await openIdConnect();
    return authorizationUrl(issuerOf(services.settings), request, contextOf(services));
  },
  accountId: async (answer, services) => {
    const { subjectOf } = await openIdConnect();
    return parseAccountId(await subjectOf(issuerOf(services.settings), answer, contextOf(services)));
  },
};
