import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { isSecondFactorOn } from '../factors/confirmation.ts';
import { sha256 } from '../lib/digest.ts';
import { sessionsOfUser } from '../sessions/own-session-queries.ts';
import type { Settings } from '../settings/table.ts';
import { getUser, type UserWithHash } from '../users/find-user.ts';
import { type LinkKind, openWelcomeLink } from './queries.ts';

/** A link that has not ended. */
export interface WelcomeLink {
  codeHash: string;
  kind: LinkKind;
  user: UserWithHash;
  /** Whether its use requires a code of the second factor. */
  asksForCode: boolean;
  removesFactor: boolean;
}

type Needs = { database: Handle; settings: Settings; now: number };

/**
 * Finds a link. Unknown, used, ended and expired links give the same error.
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

/** Whether the user of a link is signed in anywhere. The use of the link ends those sessions. */
export async function endsSessions({ database, now }: Needs, { user }: WelcomeLink): Promise<boolean> {
  return (await sessionsOfUser.first(database, { userId: user.id, now })) !== undefined;
}
