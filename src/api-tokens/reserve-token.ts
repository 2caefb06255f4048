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
  /** What the token is for; nobody else uses this text. */
  reference: string;
  expiresAt: number;
}

/**
 * Keeps room for a token that will be made later, so that an approval is never worth nothing.
 *
 * Needs   tx: open transaction.
 * Throws  AppError TOKEN_LIMIT_REACHED, NOT_SIGNED_IN when the user is gone meanwhile.
 */
export async function reserveToken(tx: Handle, reservation: Reservation, rules: TokenRules): Promise<void> {
  const owner = await lockOwner(tx, reservation.userId);
  await requireRoom(tx, owner, rules);
  await insertReservation.run(tx, reservation);
}

/**
 * Makes a token that room was kept for.
 *
 * Needs   tx: open transaction in which that room was given up.
 * Gives   undefined when the user may not have it any more: inactive, removed, or over a limit that has sunk.
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
