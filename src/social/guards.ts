import { Value } from 'typebox/value';
import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';
import { isUsable, type ProviderSettings } from '../settings/identity-providers.ts';
import { returnAddress } from '../settings/return-address.ts';
import { leadBack } from './lead-back.ts';
import { startQuery } from './schemas.ts';

/** Lets calls pass while the provider is enabled and has credentials. */
export const requireProvider = (provider: ProviderSettings): Guard => ({
  name: 'provider turned on and set up',
  errors: ['PROVIDER_OFF', 'PROVIDER_MISCONFIGURED'],
  check: ({ services: { settings }, query }) => {
    const refuse = (refusal: AppError): never => {
      const asked = Value.Check(startQuery, query) ? query.redirect : undefined;
      const redirect = returnAddress(asked, settings.LOGIN_REDIRECT_URL);
      throw leadBack(refusal, { provider: provider.name, redirect }, settings);
    };
    if (!provider.isEnabled) return refuse(new AppError('PROVIDER_OFF'));
    if (isUsable(provider)) return undefined;
    const { CLIENT_ID, CLIENT_SECRET } = provider.keys;
    const cause = new Error(`its client id or secret is missing: set ${CLIENT_ID} and ${CLIENT_SECRET}`);
    return refuse(new AppError('PROVIDER_MISCONFIGURED', { cause }));
  },
});
