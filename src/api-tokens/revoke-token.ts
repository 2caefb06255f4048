import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import type { EventDetails } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import { usernameById } from '../users/queries.ts';
import { isoOrNull } from './listed-token.ts';
import { deleteToken, deleteTokenByHash, deleteTokenOfUser } from './queries.ts';
import { hashToken } from './token.ts';

type By = Omit<Change, 'now'>;
type Way = EventDetails['token.revoked']['way'];

interface DeletedToken {
  id: number;
  user_id: number;
  scope: string;
  expires_at: number | null;
}

/** Deletes a token and records that it was revoked. Returns false if there was none. */
function revoke(
  { database, actor }: By,
  way: Way,
  remove: (tx: Transaction) => Promise<DeletedToken | undefined>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const token = await remove(tx);
    if (!token) return false;
    const owner = await usernameById.first(tx, { id: token.user_id });
    const details = { token_id: token.id, scope: token.scope, expires_at: isoOrNull(token.expires_at), way };
    await recordEvent(tx, { type: 'token.revoked', actor, subject: owner ? subjectOf(owner) : null, details });
    return true;
  });
}

/**
 * Revokes a token of a user.
 *
 * @throws AppError TOKEN_NOT_FOUND if there is none of that id, or it belongs to another user
 */
export async function revokeOwnToken(by: By, id: number, userId: number): Promise<void> {
  const isRevoked = await revoke(by, 'self', (tx) => deleteTokenOfUser.first(tx, { id, userId }));
  if (!isRevoked) throw new AppError('TOKEN_NOT_FOUND', { id });
}

/**
 * Revokes any token.
 *
 * @throws AppError TOKEN_NOT_FOUND
 */
export async function revokeAnyToken(by: By, id: number, way: Way): Promise<void> {
  const isRevoked = await revoke(by, way, (tx) => deleteToken.first(tx, { id }));
  if (!isRevoked) throw new AppError('TOKEN_NOT_FOUND', { id });
}

/** Revokes a token by its value; does nothing for a token that does not exist. */
export async function revokeHeldToken(by: By, token: string): Promise<void> {
  await revoke(by, 'holder', (tx) => deleteTokenByHash.first(tx, { hash: hashToken(token) }));
}
