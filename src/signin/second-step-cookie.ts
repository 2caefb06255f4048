import type { CookieChange, FamilyMember } from '../http/cookies.ts';
import { sha256 } from '../lib/digest.ts';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';

const PURPOSE = 'cookie second_step';
const NAME_LENGTH = 16;
const MAX_KEPT = 5;

/** An unfinished sign-in in the cookies of a browser. It may have ended or expired. */
export interface HeldStep {
  /** Identifies the sign-in in its cookie and on its page without revealing the id. */
  name: string;
  id: string;
  expiresAt: number;
}

const nameOf = (id: string): string => sha256(`second step ${id}`).slice(0, NAME_LENGTH);

/**
 * Returns the unfinished sign-ins in the cookies of a browser, newest first.
 *
 * @param members the cookies of the family `secondStep`, as the browser sent them
 */
export function openHeldSteps(sealer: Sealer, members: readonly FamilyMember[]): HeldStep[] {
  const held = members.flatMap(({ value }) => {
    const [id = '', expiresAt = ''] = sealer.open(PURPOSE, value)?.split(' ') ?? [];
    return isUuid(id) ? [{ name: nameOf(id), id, expiresAt: Number(expiresAt) }] : [];
  });
  return held.sort((a, b) => b.expiresAt - a.expiresAt);
}

/** Clears the cookie of a sign-in that can no longer be completed. */
export const clearedStep = ({ name }: Pick<HeldStep, 'name'>): CookieChange => ({ clear: 'secondStep', part: name });

/**
 * Returns the cookies with which a browser can complete a new unfinished sign-in. The sign-ins of its other tabs stay,
 * up to five in all; the oldest cookies above that limit are cleared.
 */
export function secondStepCookies(
  sealer: Sealer,
  { id, expiresAt }: Omit<HeldStep, 'name'>,
  held: readonly HeldStep[],
): CookieChange[] {
  const value = sealer.seal(PURPOSE, `${id} ${expiresAt}`);
  const surplus = held.slice(MAX_KEPT - 1).map(clearedStep);
  return [...surplus, { cookie: 'secondStep', part: nameOf(id), value, expiresAt }];
}
