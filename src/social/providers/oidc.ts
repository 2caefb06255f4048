import type { OidcSettings } from '../../settings/identity-providers.ts';
import { parseAccountId } from '../account-id.ts';
import { fault } from '../fault.ts';
import type { Issuer, Knowledge } from '../openid-connect.ts';
import type { Provider } from '../provider.ts';

/**
 * Imports the OpenID Connect libraries at the first sign-in that needs them. Importing them takes 40 ms, which would slow
 * down every command and every start of the service.
 */
const openIdConnect = () => import('../openid-connect.ts');

/** Returns this service's client at the issuer in these settings. */
export const issuerOf = (settings: OidcSettings): Issuer => ({
  url: settings.issuer,
  clientId: settings.clientId ?? '',
  clientSecret: settings.clientSecret ?? '',
  scope: settings.scope ?? '',
  // When IS_DEPLOYED is true, the settings already refuse an issuer with http.
  mayUseHttp: settings.issuer.startsWith('http:'),
  setting: settings.keys.ISSUER,
});

/** Creates a provider that uses OpenID Connect: any issuer with a discovery document. */
export function oidcProvider(settings: OidcSettings): Provider {
  const known: Knowledge = {};
  const issuer = issuerOf(settings);
  return {
    settings,
    startUrl: async (request, { clock }) => {
      const { authorizationUrl } = await openIdConnect();
      return authorizationUrl(issuer, request, { known, now: clock.now() });
    },
    accountId: async (answer, { clock }) => {
      const { subjectOf } = await openIdConnect();
      const id = parseAccountId(await subjectOf(issuer, answer, { known, now: clock.now() }));
      if (id.isUsable) return id.text;
      throw fault('PROVIDER_ANSWER_INVALID', `the claim "sub" of the ID token is ${id.problem}`);
    },
  };
}
