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
  /** A unique text that identifies what the token is reserved for. */
  reference: string;
  expiresAt: number;
}

/**
 * Reserves a place for a token that is created later, so that other tokens of the user cannot take its place.
 *
 * @param tx open transaction
 * @throws AppError TOKEN_LIMIT_REACHED, NOT_SIGNED_IN if the user was removed in the meantime
 */
export async function reserveToken(tx: Handle, reservation: Reservation, rules: TokenRules): Promise<void> {
  const owner = await lockOwner(tx, reservation.userId);
  await requireRoom(tx, owner, rules);
  await insertReservation.run(tx, reservation);
}

/**
 * Creates a token from a reservation.
 *
 * @param tx open transaction in which the reservation was deleted
 * @returns undefined if the user may no longer have the token: the user is inactive, is removed, or has too many tokens
 *   because the maximum was lowered
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
