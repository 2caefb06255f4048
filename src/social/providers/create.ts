import type { ProviderSettings } from '../../settings/identity-providers.ts';
import type { Provider } from '../provider.ts';
import { oauth2Provider } from './oauth2.ts';
import { oidcProvider } from './oidc.ts';

/** Creates the provider of these settings. It caches what it learns, so create one per service. */
export const createProvider = (settings: ProviderSettings): Provider =>
  settings.type === 'oidc' ? oidcProvider(settings) : oauth2Provider(settings);
