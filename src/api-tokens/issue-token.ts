import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import type { EventDetails } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import { lockActiveUser } from '../users/queries.ts';
import { toUser, type User } from '../users/user.ts';
import { heldTokens, insertToken } from './queries.ts';
import { hashToken, newToken, prefixOf, type TokenScope } from './token.ts';

export interface TokenWish {
  name: string;
  scope: TokenScope;
  expiresAt: number;
  /** Null if the token is valid for all applications of its user. */
  apps: string[] | null;
  /** Id of the token that approved the new one. When that token ends, the new one ends too. */
  parentId?: number | undefined;
}

/** A new token with its secret value, which only one reply contains. */
export interface IssuedToken {
  id: number;
  token: string;
  prefix: string;
  name: string;
}

/** When, by whom and in which way a token is created. */
export interface Making {
  now: number;
  actor: Actor;
  way: EventDetails['token.created']['way'];
}

/** The current time, and the maximum number of tokens per user. */
export interface TokenRules {
  now: number;
  maximum: number;
}

/**
 * Locks the user's row until the transaction ends. So only one transaction at a time counts the tokens of a user.
 *
 * @throws AppError NOT_SIGNED_IN if the user was removed or deactivated in the meantime
 */
export async function lockOwner(tx: Handle, userId: number): Promise<User> {
  const row = await lockActiveUser.first(tx, { id: userId });
  if (!row) throw new AppError('NOT_SIGNED_IN');
  return toUser(row);
}

/**
 * Checks that a user may have one more token.
 *
 * @param tx open transaction that has locked the owner's row
 * @throws AppError TOKEN_LIMIT_REACHED. Reserved tokens count. Superadmins have no limit
 * @see docs/interface.md API tokens; ASVS 5.0 2.3.2
 */
export async function requireRoom(tx: Handle, owner: User, { now, maximum }: TokenRules): Promise<void> {
  if (owner.role === 'superadmin') return;
  const held = await heldTokens.first(tx, { userId: owner.id, now });
  if (Number(held?.made) + Number(held?.promised) >= maximum) {
    throw new AppError('TOKEN_LIMIT_REACHED');
  }
}

/**
 * Creates a token.
 *
 * @param tx open transaction in which `requireRoom` passed
 * @returns the token, including its secret value, which is not stored
 */
export async function issueToken(
  tx: Transaction,
  owner: User,
  wish: TokenWish,
  { now, actor, way }: Making,
): Promise<IssuedToken> {
  const token = newToken();
  const prefix = prefixOf(token);
  const row = await insertToken.first(tx, {
    userId: owner.id,
    name: wish.name,
    tokenHash: hashToken(token),
    prefix,
    scope: wish.scope,
    allowedApps: wish.apps && JSON.stringify(wish.apps),
    now,
    expiresAt: wish.expiresAt,
    parentId: wish.parentId ?? null,
  });
  if (!row) throw new Error('the database gave the new token no id');
  const { scope, expiresAt, parentId } = wish;
  const facts = { token_id: row.id, scope, expires_at: new Date(expiresAt).toISOString(), way };
  const details = parentId === undefined ? facts : { ...facts, parent_token_id: parentId };
  await recordEvent(tx, { type: 'token.created', actor, subject: subjectOf(owner), details });
  return { id: row.id, token, prefix, name: wish.name };
}
