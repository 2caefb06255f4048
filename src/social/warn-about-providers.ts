import type { Services } from '../http/route.ts';
import { isUsable } from '../settings/identity-providers.ts';

/** Warns about providers that are on but lack their credentials. */
export function warnAboutProviders({ settings, log }: Pick<Services, 'settings' | 'log'>): void {
  for (const provider of settings.identityProviders) {
    if (!provider.isEnabled || isUsable(provider)) continue;
    const { name, keys } = provider;
    log.warn(
      { provider: name },
      `sign-in through ${name} is on, but its client id or secret is missing, so it has no button: set ${keys.CLIENT_ID} and ${keys.CLIENT_SECRET}`,
    );
  }
}
