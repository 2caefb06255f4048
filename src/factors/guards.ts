import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';
import type { Call, Services } from '../http/route.ts';
import { currentSession, getSession } from '../sessions/guards.ts';
import { confirmationOfSession } from '../sessions/own-session-queries.ts';
import type { Session } from '../sessions/session.ts';
import { confirmationEnd, getConfirmation } from './confirmation.ts';
import type { AnsweringBrowser, ChallengeHolder } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';

/** Returns whether a session is confirmed, which means that its user has recently proved their identity. */
export async function isConfirmed(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { id }: Pick<Session, 'id'>,
): Promise<boolean> {
  return confirmationEnd(await confirmationOfSession.first(database, { id }), clock.now()) !== null;
}

/**
 * Requires a confirmed session. Must run after `requireSession`.
 *
 * @see OWASP ASVS 5.0 7.5.1, 7.5.3
 */
export const requireConfirmed: Guard = {
  name: 'recent confirmation',
  errors: ['CONFIRMATION_REQUIRED'],
  check: async (call) => {
    const session = await getSession(call);
    if (await isConfirmed(call.services, session)) return undefined;
    const { ways } = await getConfirmation(call.services, session);
    throw new AppError('CONFIRMATION_REQUIRED', { ways });
  },
};

/** Answers 404 while passkeys are off. */
export const requirePasskeys: Guard = {
  name: 'passkeys are on',
  errors: ['NOT_FOUND'],
  check: ({ services }) => {
    requireParty(services);
    return undefined;
  },
};

/** Returns the browser that requests a challenge. Sets a CSRF secret in the browser if it has none. */
export async function askingBrowser(call: Call): Promise<ChallengeHolder> {
  const { services, request, reply } = call;
  return { browser: services.csrf.browserFor(request, reply), sessionId: (await currentSession(call))?.id };
}

/** Returns the browser that sends the response of an authenticator. */
export const answeringBrowser = async (call: Call): Promise<AnsweringBrowser> => ({
  browsers: call.services.csrf.browsersOf(call.request),
  sessionId: (await currentSession(call))?.id,
});
