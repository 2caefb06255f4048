import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { deleteToken, deleteTokenByHash, deleteTokenOfUser } from './queries.ts';
import { hashToken } from './token.ts';

/** Ends a token of a user. Throws AppError TOKEN_NOT_FOUND when there is none of that id, or it is somebody else's. */
export async function revokeOwnToken(handle: Handle, id: number, userId: number): Promise<void> {
  if ((await deleteTokenOfUser.run(handle, { id, userId })) === 0) throw new AppError('TOKEN_NOT_FOUND', { userId });
}

/** Ends anybody's token. Gives false when there was none of that id. */
export const revokeAnyToken = async (handle: Handle, id: number): Promise<boolean> =>
  (await deleteToken.run(handle, { id })) > 0;

/** Ends the token that somebody holds in hands. Gives what it was; undefined when it was none any more. */
export async function revokeHeldToken(
  handle: Handle,
  token: string,
): Promise<{ tokenId: number; userId: number } | undefined> {
  const row = await deleteTokenByHash.first(handle, { hash: hashToken(token) });
  return row && { tokenId: row.id, userId: row.user_id };
}
