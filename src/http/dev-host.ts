import { AppError } from '../errors/app-error.ts';
import type { Services } from './route.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/;

/**
 * Refuses a request for another host than this machine or BASE_URL while the diagnostics are on.
 *
 * A web page of a stranger can have its own host name resolve to 127.0.0.1 in the developer's browser (DNS rebinding).
 * Then it is of one origin with the service, and could read what the diagnostics show.
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
