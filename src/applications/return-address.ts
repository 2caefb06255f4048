import type { Services } from '../http/route.ts';
import { parseWholeUrl } from '../lib/safe-redirect.ts';
import { returnPath } from '../settings/return-path.ts';
import { findRegistry } from './registry.ts';

type Needs = Pick<Services, 'database' | 'registryCache' | 'settings' | 'baseUrl'>;

/** Where browsers go on from a page of ours to an application that a person was signed out for. */
const LOGOUT = '/authsvc/oidc/logout?';

/** Where the request of an application waits until the person has signed in (OpenID Connect). */
const WAITING = '/authsvc/oidc/interaction/';

/**
 * The address at which a way ends: behind a sign-out for an application, that of the application, if it is registered.
 *
 * Why: browsers apply the `form-action` of a page to every redirect after its form.
 */
export async function endOfWay(services: Needs, target: string): Promise<string> {
  if (!target.startsWith(LOGOUT)) return target;
  const uri = new URLSearchParams(target.slice(LOGOUT.length)).get('post_logout_redirect_uri') ?? '';
  const { active } = await findRegistry(services);
  return [...active.values()].some((one) => one.postLogoutRedirectUris.includes(uri)) ? uri : target;
}

/**
 * Where to go after a sign-in, a switch or a sign-out: a path on this host, or a URL with the origin of an active
 * application. Call it again for a stored address when it is used, because the application may have been disabled
 * meanwhile.
 *
 * @param asked untrusted
 * @param fallback where to go if that address is not allowed, or is a page that signs people in
 * @returns the path as given; or the origin of the application and the rest of the URL as given
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
 * The name of the application where the browser goes after a sign-in.
 *
 * The key in the address of a waiting request is not checked: it names an active application, and leads nowhere.
 *
 * @param target from `returnAddress`
 * @returns undefined for any other path on this host, and where several applications share the origin
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
