import type { Services } from '../http/route.ts';

export const callbackPath = (provider: string): string => `/authsvc/api/${provider}/login/callback`;

/**
 * The redirect_uri of a provider.
 *
 * It depends only on BASE_URL, because a Host or X-Forwarded-Host header could send the code elsewhere. Each
 * provider has its own address, so that none can impersonate another (RFC 9700 §4.4.2).
 */
export const callbackAddress = (services: Pick<Services, 'baseUrl'>, provider: string): string =>
  services.baseUrl() + callbackPath(provider);
