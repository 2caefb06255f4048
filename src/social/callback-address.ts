import type { Services } from '../http/route.ts';

export const callbackPath = (provider: string): string => `/authsvc/api/${provider}/login/callback`;

/**
 * Returns the redirect_uri for a provider.
 *
 * The host comes only from BASE_URL. If it came from the header Host or X-Forwarded-Host, a client could send the code to
 * another host. Each provider has its own redirect_uri, so that one provider cannot impersonate another (RFC 9700
 * §4.4.2).
 */
export const callbackAddress = (services: Pick<Services, 'baseUrl'>, provider: string): string =>
  services.baseUrl() + callbackPath(provider);
