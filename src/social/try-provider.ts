import type { Clock } from '../lib/clock.ts';
import { randomText } from '../lib/random.ts';
import type { ProviderSettings } from '../settings/identity-providers.ts';
import { callbackAddress } from './callback-address.ts';
import { discover } from './discovery.ts';
import { type Endpoint, requestProvider, requireEndpoint } from './outgoing.ts';
import { createProvider } from './providers/create.ts';
import { issuerOf } from './providers/oidc.ts';

interface Parts {
  clock: Clock;
  baseUrl(): string;
}

/** Creates the URL of the provider's sign-in page with the parameters of a real sign-in. No browser opens it. */
async function authorizationEndpoint(settings: ProviderSettings, { clock, baseUrl }: Parts): Promise<Endpoint> {
  const redirectUri = callbackAddress({ baseUrl }, settings.name);
  const request = { redirectUri, state: randomText(24), nonce: randomText(24), challenge: randomText(32) };
  const url = await createProvider(settings).startUrl(request, { clock });
  const setting = settings.type === 'oidc' ? settings.keys.ISSUER : settings.keys.AUTHORIZATION_URL;
  return { url, name: 'authorization endpoint', setting };
}

/** Checks that a token endpoint answers. The request has no code, so the endpoint refuses it, which counts as an answer. */
const tryTokenEndpoint = (url: string, setting: string): Promise<void> =>
  requireEndpoint(
    { url, name: 'token endpoint', setting },
    { method: 'POST', body: new URLSearchParams({ grant_type: 'authorization_code' }) },
  );

async function tryOthers(settings: ProviderSettings): Promise<void> {
  const { keys } = settings;
  if (settings.type === 'oauth2') {
    await tryTokenEndpoint(settings.tokenUrl, keys.TOKEN_URL);
    return requireEndpoint({ url: settings.userUrl, name: 'user endpoint', setting: keys.USER_URL });
  }
  const { token_endpoint: token = '', jwks_uri: url = '' } = await discover(issuerOf(settings));
  await tryTokenEndpoint(token, keys.ISSUER);
  await requestProvider({ url, name: 'address of the keys', setting: keys.ISSUER });
}

/**
 * Checks that the endpoints of a provider answer.
 *
 * @throws AppError PROVIDER_… for the first endpoint that does not answer; its cause says which one, and why
 */
export async function tryProvider(settings: ProviderSettings, parts: Parts): Promise<void> {
  await Promise.all([
    authorizationEndpoint(settings, parts).then((page) => requireEndpoint(page)),
    tryOthers(settings),
  ]);
}
