import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { isUsable } from '../settings/identity-providers.ts';
import type { Settings } from '../settings/table.ts';
import { listLinks } from '../social/queries.ts';
import { insertHashed, type NewUser } from '../users/add-user.ts';
import { findUser, getUser } from '../users/find-user.ts';
import type { User } from '../users/user.ts';
import { issueLink } from './issue-link.ts';

const MAX_HOURS = 720;

/** A link as the operator gets it. */
export interface OfferedLink {
  username: string;
  code: string;
  expiresAt: number;
  /** Whether the user was added for it. */
  isNew: boolean;
}

type Needs = Change & { settings: Settings };

/**
 * Reads for how many hours a link counts.
 *
 * @throws AppError FIELD_INVALID
 */
export function parseHours(text: string): number {
  const hours = /^\d{1,3}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : 0;
  if (hours > 0 && hours <= MAX_HOURS) return hours;
  throw new AppError('FIELD_INVALID', { field: 'hours', maximum: MAX_HOURS });
}

/** Whether a user has a password, or an account at a provider that can be used. */
async function hasWayIn(tx: Transaction, { identityProviders }: Settings, user: User): Promise<boolean> {
  if (user.hasPassword) return true;
  const usable = identityProviders.filter(isUsable).map(({ name }) => name);
  return (await listLinks.all(tx, { userId: user.id })).some(({ provider }) => usable.includes(provider));
}

async function addInvited(tx: Transaction, { settings, now, actor }: Needs, user: Omit<NewUser, 'password'>) {
  const added = await insertHashed(tx, { appName: settings.APP_NAME, now, actor }, { ...user, hash: '' });
  // Another command was faster: its user is the one to invite.
  return added ?? getUser(tx, user.name);
}

/**
 * Invites a user by a link to choose the first password. Adds the user if there is none of the name.
 *
 * @throws AppError USER_HAS_WAY_IN; USERNAME_INVALID
 */
export function inviteUser(
  needs: Needs,
  { user: asked, hours }: { user: Omit<NewUser, 'password'>; hours: number },
): Promise<OfferedLink> {
  const { database, settings, now, actor } = needs;
  return database.transaction(async (tx) => {
    const known = await findUser(tx, asked.name);
    const user = known ?? (await addInvited(tx, needs, asked));
    const { username } = user;
    if (await hasWayIn(tx, settings, user)) throw new AppError('USER_HAS_WAY_IN', { username });
    const expiresAt = now + Math.round(hours * HOUR_MS);
    const wish = { user, kind: 'invite', source: 'command', sentTo: null, removesFactor: false, expiresAt } as const;
    const { code } = await issueLink(tx, wish, { now, actor });
    return { username, code, expiresAt, isNew: known === undefined };
  });
}

/**
 * Gives a user a link to choose a new password.
 *
 * @param removesFactor whether the use of the link removes the second factor
 * @throws AppError USER_NOT_FOUND, ACCOUNT_INACTIVE
 */
export function offerReset(
  { database, now, actor }: Change,
  { name, hours, removesFactor }: { name: string; hours: number; removesFactor: boolean },
): Promise<OfferedLink> {
  return database.transaction(async (tx) => {
    const user = await getUser(tx, name);
    const expiresAt = now + Math.round(hours * HOUR_MS);
    const wish = { user, kind: 'reset', source: 'command', sentTo: null, removesFactor, expiresAt } as const;
    const { code } = await issueLink(tx, wish, { now, actor });
    return { username: user.username, code, expiresAt, isNew: false };
  });
}
