import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { sha256 } from '../lib/digest.ts';
import { applyUserChange } from '../users/change-user.ts';
import { consumeEmailLink, openEmailLink } from '../users/pending-email-queries.ts';
import { lockActiveUser } from '../users/queries.ts';
import { toUser } from '../users/user.ts';

/** The address that a link confirms, and its user. */
export interface EmailLink {
  userId: number;
  username: string;
  email: string;
  emailKey: string;
}

/**
 * Finds the address that a link confirms. Unknown, used, replaced and expired links, and links of inactive users, cause
 * the same error.
 *
 * @throws AppError LINK_INVALID
 */
export async function getEmailLink(handle: Handle, now: number, code: string): Promise<EmailLink> {
  const link = await openEmailLink.first(handle, { codeHash: sha256(code), now });
  if (!link) throw new AppError('LINK_INVALID');
  return { userId: link.user_id, username: link.username, email: link.email, emailKey: link.email_key };
}

/**
 * Returns the actor of a confirmation. If the user of the link is signed in, the actor is that user. Otherwise it is
 * anonymous, even if another user is signed in, because that session says nothing about who opened the link.
 */
function confirmerOf(actor: Actor, userId: number): Actor {
  if (actor.type === 'user' && actor.id === userId) return actor;
  const { id: _id, name: _name, sessionRef: _ref, tokenScope: _scope, ...circumstances } = actor;
  return { ...circumstances, type: 'anonymous' };
}

/**
 * Uses a link: the address that it confirms becomes the address of the user. The user is not signed in by this. If the
 * link is used several times at once, only one use succeeds.
 *
 * @returns the id of the user
 * @throws AppError LINK_INVALID
 */
export function confirmEmail({ database, now, actor }: Change, code: string): Promise<number> {
  return database.transaction(async (tx) => {
    const { userId, email, emailKey } = await getEmailLink(tx, now, code);
    const row = await lockActiveUser.first(tx, { id: userId });
    if (!row || (await consumeEmailLink.run(tx, { codeHash: sha256(code), now })) === 0)
      throw new AppError('LINK_INVALID');
    const change = { email: { address: email, key: emailKey } };
    await applyUserChange(tx, { now, actor: confirmerOf(actor, userId) }, toUser(row), change);
    return userId;
  });
}
