import type { Call } from '../http/route.ts';
import { isUuid } from '../lib/random.ts';

const PURPOSE = 'cookie second_step';

/** Lets the browser go on with its second step. */
export function setSecondStepCookie({ reply, services }: Call, id: string, expiresAt: number): void {
  const { cookies, sealer, clock } = services;
  cookies.set(reply, 'secondStep', sealer.seal(PURPOSE, id), { expiresAt, now: clock.now() });
}

/** The ids of the sign-ins that wait for their second step in the browser of a call, whether they count or not. */
export function cookieSecondStepIds({ request, services }: Call): string[] {
  const { cookies, sealer } = services;
  return cookies
    .read(request, 'secondStep')
    .map((sealed) => sealer.open(PURPOSE, sealed))
    .filter((id): id is string => id !== undefined && isUuid(id));
}
