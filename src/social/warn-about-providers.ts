import type { Services } from '../http/route.ts';
import { isUsable } from '../settings/identity-providers.ts';

/** Warns of providers that are on and cannot work, or that would send secrets in the clear. */
export function warnAboutProviders({ settings, log }: Pick<Services, 'settings' | 'log'>): void {
  for (const provider of settings.identityProviders.filter(({ isEnabled }) => isEnabled)) {
    const { name, keys } = provider;
    if (!isUsable(provider))
      log.warn(
        { provider: name },
        `sign-in through ${name} is on, but its client id or secret is missing, so it has no button: set ${keys.CLIENT_ID} and ${keys.CLIENT_SECRET}`,
      );
    if (!settings.IS_DEPLOYED || provider.type !== 'oauth2') continue;
    if ([provider.tokenUrl, provider.userUrl].some((url) => url.startsWith('http:')))
      log.warn(
        { provider: name },
        `${keys.TOKEN_URL} or ${keys.USER_URL} is not an https address: the client secret travels unprotected`,
      );
  }
}
