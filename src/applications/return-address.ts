import type { Services } from '../http/route.ts';
import { parseWholeUrl } from '../lib/safe-redirect.ts';
import { returnPath } from '../settings/return-path.ts';
import { findRegistry } from './registry.ts';

type Needs = Pick<Services, 'database' | 'registryCache' | 'settings' | 'baseUrl'>;

/** After a sign-out that an application requested, browsers go from this path to the application. */
const LOGOUT = '/authsvc/oidc/logout?';

/** The path to which a browser returns to continue an application's OpenID Connect request after a sign-in. */
const WAITING = '/authsvc/oidc/interaction/';

/**
 * Returns the address at which a chain of redirects ends. For a sign-out that an application requested, this is the
 * application's registered post-logout URI. Other targets are returned as they are.
 *
 * A page's `form-action` policy must allow this address, because browsers apply it to every redirect that follows a
 * form.
 */
export async function endOfWay(services: Needs, target: string): Promise<string> {
  if (!target.startsWith(LOGOUT)) return target;
  const uri = new URLSearchParams(target.slice(LOGOUT.length)).get('post_logout_redirect_uri') ?? '';
  const { active } = await findRegistry(services);
  return [...active.values()].some((one) => one.postLogoutRedirectUris.includes(uri)) ? uri : target;
}

/**
 * Returns where the browser goes after a sign-in, a switch or a sign-out: to a path on this host, or to a URL with the
 * origin of an active application. Check a stored address again when it is used, because the application may have been
 * disabled since.
 *
 * @param asked requested address, untrusted
 * @param fallback used if the requested address is not allowed, or is a page that signs people in
 * @returns the path as given; or the origin of the application followed by the rest of the URL as given
 * @throws DatabaseError if the registry has to be read and the database is lost
 * @see OWASP ASVS 5.0 3.7.2
 */
export async function returnAddress(
  services: Needs,
  asked: unknown,
  fallback = services.settings.LOGIN_REDIRECT_URL,
): Promise<string> {
  const whole = typeof asked === 'string' ? parseWholeUrl(asked) : undefined;
  if (!whole) return returnPath(asked, fallback);
  const { byOrigin } = await findRegistry(services);
  if (!byOrigin.has(whole.origin)) return fallback;
  const isHere = whole.origin === new URL(services.baseUrl()).origin;
  const path = whole.url.slice(whole.origin.length);
  return isHere && returnPath(path.startsWith('/') ? path : `/${path}`, '') === '' ? fallback : whole.url;
}

/**
 * Returns the name of the application to which the browser goes after a sign-in.
 *
 * A continued OpenID Connect request has the application's key in its address. The key is used only to find a name and
 * never to redirect, so it is not checked against the request.
 *
 * @param target from `returnAddress`
 * @returns undefined for a path on this host that continues no OpenID Connect request, and if several applications have
 *   the origin of the target
 */
export async function applicationNameAt(services: Needs, target: string): Promise<string | undefined> {
  const isWaiting = target.startsWith(WAITING);
  const whole = parseWholeUrl(target);
  if (!isWaiting && !whole) return undefined;
  const { active, byOrigin } = await findRegistry(services);
  if (!whole) return active.get(new URLSearchParams(target.split('?')[1]).get('client_id') ?? '')?.name;
  const [first, ...others] = byOrigin.get(whole.origin) ?? [];
  return others.length === 0 ? first?.name : undefined;
}
