import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { isSecondFactorOn } from '../factors/confirmation.ts';
import { sha256 } from '../lib/digest.ts';
import { sessionsOfUser } from '../sessions/own-session-queries.ts';
import type { Settings } from '../settings/table.ts';
import { getUser, type UserWithHash } from '../users/find-user.ts';
import { type LinkKind, openWelcomeLink } from './queries.ts';

/** A link that is still valid. */
export interface WelcomeLink {
  codeHash: string;
  kind: LinkKind;
  user: UserWithHash;
  /** Whether the user must enter a code of the second factor to use the link. */
  asksForCode: boolean;
  removesFactor: boolean;
}

type Needs = { database: Handle; settings: Settings; now: number };

/**
 * Returns a valid link. Unknown, used, replaced and expired links cause the same error.
 *
 * @throws AppError LINK_INVALID
 */
export async function getLink({ database, settings, now }: Needs, code: string): Promise<WelcomeLink> {
  const codeHash = sha256(code);
  const link = await openWelcomeLink.first(database, { codeHash, now });
  if (!link) throw new AppError('LINK_INVALID');
  const user = await getUser(database, link.username);
  const removesFactor = link.removes_factor === 1;
  const asksForCode = isSecondFactorOn(settings, user) && !removesFactor;
  return { codeHash, kind: link.kind === 'invite' ? 'invite' : 'reset', user, asksForCode, removesFactor };
}

/** Returns whether the user of a link has sessions, because using the link ends them. */
export async function endsSessions({ database, now }: Needs, { user }: WelcomeLink): Promise<boolean> {
  return (await sessionsOfUser.first(database, { userId: user.id, now })) !== undefined;
}
