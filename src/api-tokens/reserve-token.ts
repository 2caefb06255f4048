import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import {
  type IssuedToken,
  issueToken,
  lockOwner,
  requireRoom,
  type TokenRules,
  type TokenWish,
} from './issue-token.ts';
import { insertReservation } from './queries.ts';

export interface Reservation {
  userId: number;
  /** The purpose of the token, as a unique text. */
  reference: string;
  expiresAt: number;
}

/**
 * Reserves a place for a token that will be created later, so that an approval always yields a token.
 *
 * @param tx open transaction
 * @throws AppError TOKEN_LIMIT_REACHED, NOT_SIGNED_IN if the user was removed meanwhile
 */
export async function reserveToken(tx: Handle, reservation: Reservation, rules: TokenRules): Promise<void> {
  const owner = await lockOwner(tx, reservation.userId);
  await requireRoom(tx, owner, rules);
  await insertReservation.run(tx, reservation);
}

/**
 * Creates a token from a reservation.
 *
 * @param tx open transaction in which the reservation was released
 * @returns undefined if the user may no longer have it: inactive, removed, or over a lowered limit
 */
export async function issueReservedToken(
  tx: Transaction,
  { userId, actor }: { userId: number; actor: Actor },
  wish: TokenWish,
  rules: TokenRules,
): Promise<(IssuedToken & { username: string }) | undefined> {
  try {
    const owner = await lockOwner(tx, userId);
    await requireRoom(tx, owner, rules);
    return {
      ...(await issueToken(tx, owner, wish, { now: rules.now, actor, way: 'device_login' })),
      username: owner.username,
    };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
