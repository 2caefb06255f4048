import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import type { EventDetails } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import { isoOrNull } from '../lib/instant.ts';
import { lockUserById } from '../users/queries.ts';
import { activeTokenIds, deleteTokenFamily, tokenByHash, tokenById } from './queries.ts';
import { hashToken } from './token.ts';

type By = Omit<Change, 'now'>;
type Way = EventDetails['token.revoked']['way'];

interface FoundToken {
  id: number;
  user_id: number;
}

/** Deletes a token and all tokens that it approved, and records the event. Returns the number of deleted tokens. */
async function endFamily(
  tx: Transaction,
  { id, owner }: { id: number; owner: { id: number; username: string } },
  { actor, way, isConsequence = false }: { actor: Actor; way: Way; isConsequence?: boolean },
): Promise<number> {
  const ended = await deleteTokenFamily.all(tx, { id });
  const token = ended.find((one) => one.id === id);
  if (!token) return 0;
  const children = ended.map((one) => one.id).filter((one) => one !== id);
  const facts = { token_id: id, scope: token.scope, expires_at: isoOrNull(token.expires_at), way };
  const details = children.length > 0 ? { ...facts, children } : facts;
  await recordEvent(tx, { type: 'token.revoked', actor, subject: subjectOf(owner), details, isConsequence });
  return ended.length;
}

/**
 * Revokes all tokens of a user as part of another change. The user is notified of that change, not of each token.
 *
 * @param tx open transaction that has locked the user's row
 * @returns the number of revoked tokens that had not expired
 */
export async function revokeAllTokens(
  tx: Transaction,
  { now, actor }: Omit<Change, 'database'>,
  owner: { id: number; username: string },
): Promise<number> {
  const tokens = await activeTokenIds.all(tx, { userId: owner.id, now });
  for (const { id } of tokens) await endFamily(tx, { id, owner }, { actor, way: 'self', isConsequence: true });
  return tokens.length;
}

/**
 * Deletes a token and all tokens that it approved, and records the event. First locks the user's row, as the creation
 * of a token does. So a token that is being revoked cannot approve a new token.
 *
 * @returns false if `find` finds no token
 */
function revoke(
  { database, actor }: By,
  way: Way,
  find: (tx: Transaction) => Promise<FoundToken | undefined>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const found = await find(tx);
    const owner = found && (await lockUserById.first(tx, { id: found.user_id }));
    return found && owner ? (await endFamily(tx, { id: found.id, owner }, { actor, way })) > 0 : false;
  });
}

/**
 * Revokes one of the user's own tokens.
 *
 * @throws AppError TOKEN_NOT_FOUND if no token has this id, or the token belongs to another user
 */
export async function revokeOwnToken(by: By, id: number, userId: number): Promise<void> {
  const isRevoked = await revoke(by, 'self', async (tx) => {
    const token = await tokenById.first(tx, { id });
    return token?.user_id === userId ? token : undefined;
  });
  if (!isRevoked) throw new AppError('TOKEN_NOT_FOUND', { id });
}

/**
 * Revokes a token of any user.
 *
 * @throws AppError TOKEN_NOT_FOUND
 */
export async function revokeAnyToken(by: By, id: number, way: Way): Promise<void> {
  const isRevoked = await revoke(by, way, (tx) => tokenById.first(tx, { id }));
  if (!isRevoked) throw new AppError('TOKEN_NOT_FOUND', { id });
}

/** Revokes a token by its secret value. Does nothing if the token does not exist. */
export async function revokeHeldToken(by: By, token: string): Promise<void> {
  await revoke(by, 'holder', (tx) => tokenByHash.first(tx, { hash: hashToken(token) }));
}
