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

/** Returns the unfinished sign-ins in the cookies of a call, newest first. They may have ended or expired. */
export const heldSteps = ({ request, services }: Call): HeldStep[] =>
  openHeldSteps(services.sealer, services.cookies.readFamily(request, 'secondStep'));

/**
 * Returns the changes that clear the session cookie of the browser of a call and the cookies of its unfinished second
 * steps.
 */
export const clearedSignIn = (call: Call): CookieChange[] => [
  ...heldSteps(call).map(clearedStep),
  { clear: 'session' },
];

/** Returns the browser of a call, with the users who have signed in there before. */
export const knownBrowserOf = ({ request, services }: Call): KnownBrowser =>
  openKnownBrowser(services.dataSealer, services.cookies.read(request, 'knownBrowser'));

/** Collects the facts about the browser of a call that a sign-in needs. */
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

/**
 * Reads the field `step` of a body or a query. Returns an empty name for an invalid value, because no sign-in has that
 * name.
 */
function namedStep(input: unknown): string | undefined {
  const step: unknown = Reflect.get(Object(input), 'step');
  if (step === undefined) return undefined;
  return typeof step === 'string' ? step : '';
}

/**
 * Finds the unfinished sign-in that a call belongs to. The body or the query names it; without a name it is the newest
 * one.
 */
export const waitingSignIn = (call: Call): Promise<SecondStep | undefined> =>
  findSecondStep(call.services, heldSteps(call), namedStep(call.body) ?? namedStep(call.query));

/**
 * Lets a call pass if its browser has completed the first step of a sign-in. A person who opens a page without a
 * completed first step is sent to the login page.
 */
export const requireFirstStep: Guard = {
  name: 'completed first step',
  errors: ['FIRST_STEP_REQUIRED'],
  securitySchemes: ['secondStep'],
  sendsTo: 'the login page',
  check: async (call) => {
    if (await waitingSignIn(call)) return undefined;
    if (isVisit(call)) return redirect('/authsvc/login');
    throw new AppError('FIRST_STEP_REQUIRED');
  },
};

/**
 * Checks the CSRF token only if the body contains one. A sign-in form may omit it, because the check for cross-site
 * requests protects the form.
 */
export const checkCsrfIfSent: Guard = {
  ...requireCsrf,
  name: 'CSRF token, if one is sent',
  check: (call) => {
    const { body } = call;
    const isSent = typeof body === 'object' && body !== null && '_csrf' in body && body._csrf !== undefined;
    return isSent ? requireCsrf.check(call) : undefined;
  },
};
