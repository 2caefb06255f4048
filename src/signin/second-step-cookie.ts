import type { Call } from '../http/route.ts';
import { isUuid } from '../kit/random.ts';
import { openSecondStep } from './queries.ts';

const PURPOSE = 'cookie second_step';

/** A sign-in that waits for its code. */
export interface SecondStep {
  id: string;
  user_id: number;
  method: string;
  redirect: string;
  username: string;
}

/** Lets the browser go on with its second step. */
export function giveSecondStep({ reply, services }: Call, id: string, expiresAt: number): void {
  const { cookies, sealer, clock } = services;
  cookies.set(reply, 'secondStep', sealer.seal(PURPOSE, id), { expiresAt, now: clock.now() });
}

/** The sign-in that this browser has begun and may still complete. */
export async function findSecondStep({ request, services }: Call): Promise<SecondStep | undefined> {
  const { cookies, sealer, database, clock } = services;
  for (const sealed of cookies.read(request, 'secondStep')) {
    const id = sealer.open(PURPOSE, sealed);
    const step = id && isUuid(id) ? await openSecondStep.first(database, { id, now: clock.now() }) : undefined;
    if (step) return step;
  }
  return undefined;
}
