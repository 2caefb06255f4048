import type { ProviderSettings } from '../../settings/identity-providers.ts';
import type { Provider } from '../provider.ts';
import { oauth2Provider } from './oauth2.ts';
import { oidcProvider } from './oidc.ts';

/** The provider behind its settings. It keeps what it learns about itself, so make one for each service. */
export const createProvider = (settings: ProviderSettings): Provider =>
  settings.type === 'oidc' ? oidcProvider(settings) : oauth2Provider(settings);
