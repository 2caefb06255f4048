import type { CookieChange, FamilyMember } from '../http/cookies.ts';
import { sha256 } from '../lib/digest.ts';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';

const PURPOSE = 'cookie second_step';
const NAME_LENGTH = 16;
const MAX_KEPT = 5;

/** A sign-in that waits in a browser for its second step, valid or not. */
export interface HeldStep {
  /** Names the sign-in in its cookie and on its page without revealing the id. */
  name: string;
  id: string;
  expiresAt: number;
}

const nameOf = (id: string): string => sha256(`second step ${id}`).slice(0, NAME_LENGTH);

/**
 * The sign-ins that wait in a browser for their second step, the newest first.
 *
 * @param members the cookies of the family, as the browser sent them
 */
export function openHeldSteps(sealer: Sealer, members: readonly FamilyMember[]): HeldStep[] {
  const held = members.flatMap(({ value }) => {
    const [id = '', expiresAt = ''] = sealer.open(PURPOSE, value)?.split(' ') ?? [];
    return isUuid(id) ? [{ name: nameOf(id), id, expiresAt: Number(expiresAt) }] : [];
  });
  return held.sort((a, b) => b.expiresAt - a.expiresAt);
}

/** Clears the cookie of a sign-in that no longer waits. */
export const clearedStep = ({ name }: Pick<HeldStep, 'name'>): CookieChange => ({ clear: 'secondStep', part: name });

/**
 * Lets the browser continue with its second step, beside the sign-ins that wait in its other tabs. The oldest of too many
 * are cleared.
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
