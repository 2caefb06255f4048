import { decodePercent } from '../lib/percent-encoding.ts';
import { SAME_ORIGIN, safeRedirect } from '../lib/safe-redirect.ts';

/** Pages that sign somebody in are no places to return to afterwards. */
const SIGN_IN_PAGES = /^\/(login|signin|authsvc\/(login|2fa|api\/[^/?#]+\/login(\/callback)?))\/?$/;

/** Where to go after a sign-in or a switch: the address asked for, where that is safe and no sign-in page, else `fallback`. */
export function returnAddress(asked: unknown, fallback: string): string {
  const target = safeRedirect(asked, fallback);
  const { pathname } = new URL(target, SAME_ORIGIN);
  return SIGN_IN_PAGES.test(decodePercent(pathname) ?? pathname) ? fallback : target;
}
