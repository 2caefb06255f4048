import type { OidcSettings } from '../../settings/identity-providers.ts';
import { parseAccountId } from '../account-id.ts';
import { fault } from '../fault.ts';
import type { Issuer, Knowledge } from '../openid-connect.ts';
import type { Provider } from '../provider.ts';

/** Loaded when someone signs in this way: the libraries cost a command, or a start of the service, 40 ms. */
const openIdConnect = () => import('../openid-connect.ts');

/** Our client at the issuer of these settings. */
export const issuerOf = (settings: OidcSettings): Issuer => ({
  url: settings.issuer,
  clientId: settings.clientId ?? '',
  clientSecret: settings.clientSecret ?? '',
  scope: settings.scope ?? '',
  // Settings refuse such an issuer when deployed.
  mayUseHttp: settings.issuer.startsWith('http:'),
  setting: settings.keys.ISSUER,
});

/** Sign-in through an OpenID Provider: any issuer with discovery. */
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
