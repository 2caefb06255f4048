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
  /** The address that the link is mailed to; null if the link is shown to an operator instead. */
  sentTo: string | null;
  removesFactor: boolean;
  expiresAt: number;
}

interface IssuedLink {
  /** A text of 256 random bits. Only its hash is stored. */
  code: string;
  codeHash: string;
  expiresAt: number;
}

/**
 * Creates a link with which a user can choose a password once, and records the event. Deletes an older link of the user
 * from the same source.
 *
 * @param tx open transaction; this call locks the user in it
 * @throws AppError USER_NOT_FOUND if the user no longer exists; ACCOUNT_INACTIVE for a reset link of an inactive user
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

/** Returns the URL of a link. */
export const welcomeUrl = (baseUrl: string, code: string): string => `${baseUrl}/authsvc/welcome/${code}`;
