import { type Redirect, redirect } from '../http/reply.ts';

/** Pages under this path redirect the browser to applications. */
const ONWARD = '/authsvc/oidc/';

/**
 * Redirects the browser to the target of a sign-in after a form was sent.
 *
 * Browsers apply the page's `form-action` policy to every redirect that follows a form. So a redirect to another site would
 * be blocked. For such a target, the browser gets a page of ours that refreshes to it.
 *
 * @param target from `returnAddress`
 * @see CSP Level 3 §6.4.1
 */
export function goOn(target: string): Redirect {
  const isHere = target.startsWith('/') && !target.startsWith(ONWARD);
  return redirect(isHere ? target : `/authsvc/login?onward=1&redirect=${encodeURIComponent(target)}`);
}
