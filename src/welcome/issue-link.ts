import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import { lockUserById } from '../users/queries.ts';
import { deleteWelcomeLinksOfSource, insertWelcomeLink, type LinkKind, type LinkSource } from './queries.ts';

const CODE_BYTES = 32;

interface NewLink {
  user: { id: number; username: string };
  kind: LinkKind;
  source: LinkSource;
  /** The address for the mail; null: an operator sees the link. */
  sentTo: string | null;
  removesFactor: boolean;
  expiresAt: number;
}

interface IssuedLink {
  /** 256 random bits. Only their hash is stored. */
  code: string;
  codeHash: string;
  expiresAt: number;
}

/**
 * Creates a link with which a user can choose a password, once, and records that. It replaces the older link of the same
 * source.
 *
 * @param tx open transaction, in which this locks the user
 * @throws AppError USER_NOT_FOUND if the user was removed meanwhile; ACCOUNT_INACTIVE for the reset link of an inactive
 *   user
 */
export async function issueLink(
  tx: Transaction,
  { user, kind, source, sentTo, removesFactor, expiresAt }: NewLink,
  { now, actor }: { now: number; actor: Actor },
): Promise<IssuedLink> {
  const held = await lockUserById.first(tx, { id: user.id });
  if (!held) throw new AppError('USER_NOT_FOUND', { username: user.username });
  if (kind === 'reset' && held.deactivated_at !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  const code = randomText(CODE_BYTES);
  const codeHash = sha256(code);
  await deleteWelcomeLinksOfSource.run(tx, { userId: user.id, source });
  const facts = { kind, source, sentTo, removesFactor: removesFactor ? 1 : 0, now, expiresAt };
  await insertWelcomeLink.run(tx, { codeHash, userId: user.id, ...facts });
  const details = { kind, expires_at: new Date(expiresAt).toISOString() };
  await recordEvent(tx, { type: 'link.issued', actor, subject: subjectOf(user), details });
  return { code, codeHash, expiresAt };
}

/** The address of a link. */
export const welcomeUrl = (baseUrl: string, code: string): string => `${baseUrl}/authsvc/welcome/${code}`;
