import type { CookieChange } from '../http/cookies.ts';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';

const PURPOSE = 'cookie second_step';

/** Lets the browser continue with its second step. */
export const secondStepCookie = (sealer: Sealer, id: string, expiresAt: number): CookieChange => ({
  cookie: 'secondStep',
  value: sealer.seal(PURPOSE, id),
  expiresAt,
});

/**
 * The ids of the sign-ins that wait for their second step in a browser, whether they count or not.
 *
 * @param values what the browser's cookies hold
 */
export const openSecondStepIds = (sealer: Sealer, values: readonly string[]): string[] =>
  values.flatMap((sealed) => {
    const id = sealer.open(PURPOSE, sealed);
    return id !== undefined && isUuid(id) ? [id] : [];
  });
