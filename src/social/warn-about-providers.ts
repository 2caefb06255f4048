import type { Services } from '../http/route.ts';
import { providers } from './providers/list.ts';

/** Tells the log of providers that are on and cannot work, or would send secrets in the clear. */
export function warnAboutProviders({ settings, log }: Pick<Services, 'settings' | 'log'>): void {
  for (const { name, isEnabled, hasCredentials } of providers) {
    if (!isEnabled(settings) || hasCredentials(settings)) continue;
    log.warn({ provider: name }, `sign-in through ${name} is on, but its client id or secret is missing: it will fail`);
  }
  const { IS_DEPLOYED, CODEHOST_LOGIN_ENABLED, CODEHOST_TOKEN_URL, CODEHOST_USER_URL } = settings;
  const isOpen = [CODEHOST_TOKEN_URL, CODEHOST_USER_URL].some((url) => url.startsWith('http:'));
  if (IS_DEPLOYED && CODEHOST_LOGIN_ENABLED && isOpen) {
    log.warn('CODEHOST_TOKEN_URL or CODEHOST_USER_URL is no https address: the client secret travels unprotected');
  }
}
