import type { Services } from '../http/route.ts';
import { guessesLeft, openSecondStep } from './queries.ts';
import type { HeldStep } from './second-step-cookie.ts';

/** A sign-in that waits for its code. */
export interface SecondStep {
  id: string;
  /** Of its cookie and its page. */
  name: string;
  user_id: number;
  method: string;
  redirect: string;
  username: string;
  attempts_left: number;
  role: string;
  /** Null: the user has no second factor. */
  second_factor_at: number | null;
}

type Needs = Pick<Services, 'database' | 'clock'>;

/**
 * Finds the sign-in that a page of a browser may complete.
 *
 * Each page names its own sign-in, so a code in one tab does not count against the sign-in of another.
 *
 * @param held the waiting sign-ins of the browser, the newest first
 * @param name from the page; undefined: the newest one
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
 * Finds the sign-ins of a browser that have ended, and why. Clear their cookies once the page has shown that.
 *
 * @returns reason: too many wrong codes for one of them, or else too much time; undefined if none has ended
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
