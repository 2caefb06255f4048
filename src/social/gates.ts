import { Value } from 'typebox/value';
import { AppError } from '../errors/app-error.ts';
import { describeGate, type Gate } from '../http/route.ts';
import { returnAddress } from '../signin/return-address.ts';
import { leadBack } from './lead-back.ts';
import type { Provider } from './provider.ts';
import { startQuery } from './wire.ts';

/** Lets calls pass while the provider is on and set up. Throws PROVIDER_OFF, PROVIDER_MISCONFIGURED. */
export const requireProvider = (provider: Provider): Gate =>
  describeGate('provider turned on and set up', ({ services: { settings }, query }) => {
    const refuse = (code: 'PROVIDER_OFF' | 'PROVIDER_MISCONFIGURED'): never => {
      const asked = Value.Check(startQuery, query) ? query.redirect : undefined;
      const redirect = returnAddress(asked, settings.LOGIN_REDIRECT_URL);
      throw leadBack(new AppError(code), { provider: provider.name, redirect }, settings);
    };
    if (!provider.isEnabled(settings)) return refuse('PROVIDER_OFF');
    return provider.hasCredentials(settings) ? undefined : refuse('PROVIDER_MISCONFIGURED');
  });
