import type { Services } from '../http/route.ts';
import { isUsable } from '../settings/identity-providers.ts';

/** Logs a warning for each enabled provider that lacks its client id or client secret. */
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
