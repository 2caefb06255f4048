import type { Call } from '../http/route.ts';
import { cookieSecondStepIds } from '../sessions/second-step-cookie.ts';
import { guessesLeft, openSecondStep } from './queries.ts';

/** A sign-in that waits for its code. */
export interface SecondStep {
  id: string;
  user_id: number;
  method: string;
  redirect: string;
  username: string;
  attempts_left: number;
}

/** The sign-in that this browser has begun and may still complete. */
export async function findSecondStep(call: Call): Promise<SecondStep | undefined> {
  const { database, clock } = call.services;
  for (const id of cookieSecondStepIds(call)) {
    const step = await openSecondStep.first(database, { id, now: clock.now() });
    if (step) return step;
  }
  return undefined;
}

/**
 * Why a sign-in that this browser has begun cannot be completed any more, where there is one; told once, since the
 * cookie goes with it.
 */
export async function consumeEndedSecondStep(call: Call): Promise<'guesses' | 'time' | undefined> {
  const { services, reply } = call;
  const ids = cookieSecondStepIds(call);
  if (ids.length === 0 || (await findSecondStep(call))) return undefined;
  services.cookies.clear(reply, 'secondStep');
  const rows = await Promise.all(ids.map((id) => guessesLeft.first(services.database, { id })));
  return rows.some((row) => row?.attempts_left === 0) ? 'guesses' : 'time';
}
