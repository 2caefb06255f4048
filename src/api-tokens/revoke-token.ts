import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import type { EventDetails } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import { lockUserById } from '../users/queries.ts';
import { isoOrNull } from './listed-token.ts';
import { deleteTokenFamily, tokenByHash, tokenById } from './queries.ts';
import { hashToken } from './token.ts';

type By = Omit<Change, 'now'>;
type Way = EventDetails['token.revoked']['way'];

interface FoundToken {
  id: number;
  user_id: number;
}

/**
 * Deletes a token with those that it approved, and records that. It locks the user's row first, as creating a token
 * does, so that no token is created with a parent that ends meanwhile.
 *
 * @returns false if there was none
 */
function revoke(
  { database, actor }: By,
  way: Way,
  find: (tx: Transaction) => Promise<FoundToken | undefined>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const found = await find(tx);
    const owner = found && (await lockUserById.first(tx, { id: found.user_id }));
    const ended = found && owner ? await deleteTokenFamily.all(tx, { id: found.id }) : [];
    const token = ended.find(({ id }) => id === found?.id);
    if (!owner || !token) return false;
    const children = ended.map(({ id }) => id).filter((id) => id !== token.id);
    const { id, scope, expires_at: expiresAt } = token;
    const facts = { token_id: id, scope, expires_at: isoOrNull(expiresAt), way };
    const details = children.length > 0 ? { ...facts, children } : facts;
    await recordEvent(tx, { type: 'token.revoked', actor, subject: subjectOf(owner), details });
    return true;
  });
}

/**
 * Revokes a token of a user.
 *
 * @throws AppError TOKEN_NOT_FOUND if there is none with that id, or it belongs to another user
 */
export async function revokeOwnToken(by: By, id: number, userId: number): Promise<void> {
  const isRevoked = await revoke(by, 'self', async (tx) => {
    const token = await tokenById.first(tx, { id });
    return token?.user_id === userId ? token : undefined;
  });
  if (!isRevoked) throw new AppError('TOKEN_NOT_FOUND', { id });
}

/**
 * Revokes any token.
 *
 * @throws AppError TOKEN_NOT_FOUND
 */
export async function revokeAnyToken(by: By, id: number, way: Way): Promise<void> {
  const isRevoked = await revoke(by, way, (tx) => tokenById.first(tx, { id }));
  if (!isRevoked) throw new AppError('TOKEN_NOT_FOUND', { id });
}

/** Revokes a token by its value; does nothing for a token that does not exist. */
export async function revokeHeldToken(by: By, token: string): Promise<void> {
  await revoke(by, 'holder', (tx) => tokenByHash.first(tx, { hash: hashToken(token) }));
}
