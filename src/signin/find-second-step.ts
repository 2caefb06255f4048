import type { Services } from '../http/route.ts';
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

type Needs = Pick<Services, 'database' | 'clock'>;

/** The sign-in that a browser has begun and may still complete; `ids` are those that its cookies name. */
export async function findSecondStep(
  { database, clock }: Needs,
  ids: readonly string[],
): Promise<SecondStep | undefined> {
  for (const id of ids) {
    const step = await openSecondStep.first(database, { id, now: clock.now() });
    if (step) return step;
  }
  return undefined;
}

/**
 * Why the sign-in that a browser has begun cannot be completed any more; undefined if it can, or if there is none. Once
 * the browser was told, its cookie is to be cleared.
 */
export async function endedSecondStep(
  services: Needs,
  ids: readonly string[],
): Promise<'guesses' | 'time' | undefined> {
  if (ids.length === 0 || (await findSecondStep(services, ids))) return undefined;
  const rows = await Promise.all(ids.map((id) => guessesLeft.first(services.database, { id })));
  return rows.some((row) => row?.attempts_left === 0) ? 'guesses' : 'time';
}
