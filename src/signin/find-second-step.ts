import type { Services } from '../http/route.ts';
import { guessesLeft, openSecondStep } from './queries.ts';
import type { HeldStep } from './second-step-cookie.ts';

/** An unfinished sign-in whose second step is still to be done. */
export interface SecondStep {
  id: string;
  /** The name of the sign-in in its cookie and on its page. It does not reveal the id. */
  name: string;
  user_id: number;
  method: string;
  redirect: string;
  username: string;
  attempts_left: number;
  role: string;
  /** When the user set up a second factor; null without one. */
  second_factor_at: number | null;
}

type Needs = Pick<Services, 'database' | 'clock'>;

/**
 * Finds the unfinished sign-in that a page of a browser may complete.
 *
 * Each page names its own sign-in, so that a wrong code in one tab uses up no attempt of a sign-in in another tab.
 *
 * @param held the unfinished sign-ins in the browser's cookies, newest first
 * @param name the name that the page sent; undefined selects the newest sign-in
 */
export async function findSecondStep(
  { database, clock }: Needs,
  held: readonly HeldStep[],
  name: string | undefined,
): Promise<SecondStep | undefined> {
  const one = name === undefined ? held[0] : held.find((step) => step.name === name);
  const row = one && (await openSecondStep.first(database, { id: one.id, now: clock.now() }));
  return row && { ...row, name: one.name };
}

/**
 * Finds the sign-ins in a browser's cookies that can no longer be completed, and why. The caller shows the reason and
 * clears their cookies.
 *
 * @returns reason: `guesses` if one of them ended after too many wrong codes, `time` if they ended for other reasons;
 *   undefined if none has ended
 */
export async function endedSecondSteps(
  { database, clock }: Needs,
  held: readonly HeldStep[],
): Promise<{ ended: HeldStep[]; reason: 'guesses' | 'time' | undefined }> {
  const ended: HeldStep[] = [];
  let reason: 'guesses' | 'time' | undefined;
  for (const step of held) {
    if (await openSecondStep.first(database, { id: step.id, now: clock.now() })) continue;
    ended.push(step);
    const isGuessed = (await guessesLeft.first(database, { id: step.id }))?.attempts_left === 0;
    reason = isGuessed ? 'guesses' : (reason ?? 'time');
  }
  return { ended, reason };
}
