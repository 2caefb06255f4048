import { decodePercent } from '../lib/percent-encoding.ts';
import { SAME_ORIGIN, safeRedirect } from '../lib/safe-redirect.ts';

/** Pages that sign people in. After a sign-in, the browser must not return to one of them. */
const SIGN_IN_PAGES = /^\/(login|signin|authsvc\/(login|2fa|api\/[^/?#]+\/login(\/callback)?))\/?$/;

/**
 * Returns the requested path if it is a safe target after a sign-in or an account switch, else `fallback`. Pages that
 * sign people in are not safe targets.
 */
export function returnPath(asked: unknown, fallback: string): string {
  const target = safeRedirect(asked, fallback);
  const { pathname } = new URL(target, SAME_ORIGIN);
  return SIGN_IN_PAGES.test(decodePercent(pathname) ?? pathname) ? fallback : target;
}
