import { decodePercent } from '../lib/percent-encoding.ts';
import { SAME_ORIGIN, safeRedirect } from '../lib/safe-redirect.ts';

/** A sign-in must not return to a page that signs people in. */
const SIGN_IN_PAGES = /^\/(login|signin|authsvc\/(login|2fa|api\/[^/?#]+\/login(\/callback)?))\/?$/;

/** The requested path if it is safe after a sign-in or a switch and not a sign-in page; else `fallback`. */
export function returnPath(asked: unknown, fallback: string): string {
  const target = safeRedirect(asked, fallback);
  const { pathname } = new URL(target, SAME_ORIGIN);
  return SIGN_IN_PAGES.test(decodePercent(pathname) ?? pathname) ? fallback : target;
}
