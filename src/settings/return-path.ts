import { decodePercent } from '../lib/percent-encoding.ts';
import { SAME_ORIGIN, safeRedirect } from '../lib/safe-redirect.ts';

/** Pages that sign somebody in are no places to return to afterwards. */
const SIGN_IN_PAGES = /^\/(login|signin|authsvc\/(login|2fa|api\/[^/?#]+\/login(\/callback)?))\/?$/;

/** The path asked for, if it is safe to go there after a sign-in or a switch and is no sign-in page; else `fallback`. */
export function returnPath(asked: unknown, fallback: string): string {
  const target = safeRedirect(asked, fallback);
  const { pathname } = new URL(target, SAME_ORIGIN);
  return SIGN_IN_PAGES.test(decodePercent(pathname) ?? pathname) ? fallback : target;
}
