import { type Redirect, redirect } from '../http/reply.ts';

/** Pages that send the browser on to applications. */
const ONWARD = '/authsvc/oidc/';

/**
 * Sends the browser where a sign-in by a form leads.
 *
 * Browsers apply the `form-action` of a page to every redirect after its form. So an address elsewhere is reached by way of a
 * page, which refreshes to it.
 *
 * @param target from `returnAddress`
 * @see CSP Level 3 §6.4.1
 */
export function goOn(target: string): Redirect {
  const isHere = target.startsWith('/') && !target.startsWith(ONWARD);
  return redirect(isHere ? target : `/authsvc/login?onward=1&redirect=${encodeURIComponent(target)}`);
}
