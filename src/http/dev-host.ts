import { AppError } from '../errors/app-error.ts';
import type { Services } from './route.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/;

/**
 * Refuses a request for a host other than this machine or BASE_URL while the diagnostics are on.
 *
 * A hostile web page can make its own host name resolve to 127.0.0.1 in the developer's browser (DNS rebinding). Then
 * it has the same origin as the service and could read the diagnostics.
 *
 * @param host the Host header, which a page cannot choose
 * @throws AppError HOST_NOT_ALLOWED
 */
export function requireDevHost(
  host: string | undefined,
  { settings, baseUrl }: Pick<Services, 'settings' | 'baseUrl'>,
): void {
  if (settings.env !== 'dev' || host === undefined) return;
  const asked = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  if (!LOOPBACK.test(asked) && asked !== new URL(baseUrl()).hostname) throw new AppError('HOST_NOT_ALLOWED');
}
