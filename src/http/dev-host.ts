import { AppError } from '../errors/app-error.ts';
import type { Services } from './route.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/;

/**
 * Refuses a request if env=dev and its Host header names neither this machine nor BASE_URL, because the query
 * monitor is on.
 *
 * A hostile web page can make its own host name resolve to 127.0.0.1 in the developer's browser (DNS rebinding).
 * The page then has the same origin as the service and could read the query monitor.
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
