import { accountListOf } from '../accounts/guards.ts';
import { AppError } from '../errors/app-error.ts';
import { openTrustTokens } from '../factors/trusted-browser.ts';
import { actorOf } from '../http/actor.ts';
import { isVisit } from '../http/asks-for.ts';
import type { Guard } from '../http/guard.ts';
import { redirect } from '../http/reply.ts';
import type { Call } from '../http/route.ts';
import { currentSession, requireCsrf } from '../sessions/guards.ts';
import { findSecondStep, type SecondStep } from './find-second-step.ts';
import type { BrowserFacts } from './open-session.ts';
import { openSecondStepIds } from './second-step-cookie.ts';

/** What a sign-in needs to know of the browser of a call. */
export async function browserOf(call: Call): Promise<BrowserFacts> {
  const { request, services } = call;
  const session = await currentSession(call);
  return {
    actor: actorOf(call),
    before: { device: accountListOf(call), sessionId: session?.id },
    trust: openTrustTokens(services, services.cookies.read(request, 'trustedDevice')),
  };
}

/** The ids of the sign-ins that wait for their second step in the browser of a call, whether they count or not. */
export const cookieSecondStepIds = ({ request, services }: Call): string[] =>
  openSecondStepIds(services.sealer, services.cookies.read(request, 'secondStep'));

/** The sign-in that waits in the browser of a call for its second step. */
export const waitingSignIn = (call: Call): Promise<SecondStep | undefined> =>
  findSecondStep(call.services, cookieSecondStepIds(call));

/** Lets a browser pass that has done a first step; sends a page's visitor to the login page. */
export const requireFirstStep: Guard = {
  name: 'first step done',
  errors: ['FIRST_STEP_REQUIRED'],
  securitySchemes: ['secondStep'],
  sendsTo: 'the login page',
  check: async (call) => {
    if (await waitingSignIn(call)) return undefined;
    if (isVisit(call)) return redirect('/authsvc/login');
    throw new AppError('FIRST_STEP_REQUIRED');
  },
};

/** Forms that sign in may come without a token, because the cross-site check protects them. A token that is sent must be right. */
export const checkCsrfIfSent: Guard = {
  ...requireCsrf,
  name: 'CSRF token, where one is sent',
  check: (call) => {
    const { body } = call;
    const isSent = typeof body === 'object' && body !== null && '_csrf' in body && body._csrf !== undefined;
    return isSent ? requireCsrf.check(call) : undefined;
  },
};
