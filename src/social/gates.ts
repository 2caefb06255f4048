import { AppError } from '../errors/app-error.ts';
import { describeGate, type Gate } from '../http/route.ts';
import type { Provider } from './provider.ts';

/** Lets calls pass while the provider is on and set up. Throws PROVIDER_OFF, PROVIDER_MISCONFIGURED. */
export const requireProvider = (provider: Provider): Gate =>
  describeGate('provider turned on and set up', ({ services }) => {
    const about = { provider: provider.name };
    if (!provider.isEnabled(services.settings)) throw new AppError('PROVIDER_OFF', about);
    if (!provider.hasCredentials(services.settings)) throw new AppError('PROVIDER_MISCONFIGURED', about);
    return undefined;
  });
