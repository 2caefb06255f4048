import { accountListOf } from '../accounts/guards.ts';
import { AppError } from '../errors/app-error.ts';
import { openTrustTokens } from '../factors/trusted-browser.ts';
import { actorOf } from '../http/actor.ts';
import { isVisit } from '../http/asks-for.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Guard } from '../http/guard.ts';
import { redirect } from '../http/reply.ts';
import type { Call } from '../http/route.ts';
import { currentSession, requireCsrf } from '../sessions/guards.ts';
import { findSecondStep, type SecondStep } from './find-second-step.ts';
import { type KnownBrowser, openKnownBrowser } from './known-browser.ts';
import type { BrowserFacts } from './open-session.ts';
import { clearedStep, type HeldStep, openHeldSteps } from './second-step-cookie.ts';

/** The sign-ins that wait for their second step in the browser of a call, valid or not; newest first. */
export const heldSteps = ({ request, services }: Call): HeldStep[] =>
  openHeldSteps(services.sealer, services.cookies.readFamily(request, 'secondStep'));

/** Clears the cookies that sign the browser of a call in, or could do so after a second step. */
export const clearedSignIn = (call: Call): CookieChange[] => [
  ...heldSteps(call).map(clearedStep),
  { clear: 'session' },
];

/** The browser of a call, and the users who have signed in there before. */
export const knownBrowserOf = ({ request, services }: Call): KnownBrowser =>
  openKnownBrowser(services.dataSealer, services.cookies.read(request, 'knownBrowser'));

/** What a sign-in needs to know about the browser of a call. */
export async function browserOf(call: Call): Promise<BrowserFacts> {
  const { request, services } = call;
  const session = await currentSession(call);
  return {
    actor: actorOf(call),
    before: { device: accountListOf(call), sessionId: session?.id },
    waiting: heldSteps(call),
    trust: openTrustTokens(services, services.cookies.read(request, 'trustedDevice')),
    known: knownBrowserOf(call),
  };
}

/** The field `step` of a body or a query. An invalid value matches no sign-in. */
function namedStep(input: unknown): string | undefined {
  const step: unknown = Reflect.get(Object(input), 'step');
  if (step === undefined) return undefined;
  return typeof step === 'string' ? step : '';
}

/** The sign-in of a call to the second step: the one in its body or its address, else the newest. */
export const waitingSignIn = (call: Call): Promise<SecondStep | undefined> =>
  findSecondStep(call.services, heldSteps(call), namedStep(call.body) ?? namedStep(call.query));

/** Lets browsers pass that have done a first step, and sends visitors of a page to the login page. */
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
  name: 'CSRF token, if one is sent',
  check: (call) => {
    const { body } = call;
    const isSent = typeof body === 'object' && body !== null && '_csrf' in body && body._csrf !== undefined;
    return isSent ? requireCsrf.check(call) : undefined;
  },
};
