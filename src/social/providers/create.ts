import type { ProviderSettings } from '../../settings/identity-providers.ts';
import type { Provider } from '../provider.ts';
import { oauth2Provider } from './oauth2.ts';
import { oidcProvider } from './oidc.ts';

/**
 * Creates the provider with these settings. It caches the discovery document and keys, so create it only once per
 * process.
 */
export const createProvider = (settings: ProviderSettings): Provider =>
  settings.type === 'oidc' ? oidcProvider(settings) : oauth2Provider(settings);
