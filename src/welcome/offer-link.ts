import type { Transaction } from '../db/handle.ts';
import { addMail } from '../delivery/mail.ts';
import type { Outbox } from '../delivery/outbox.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { hasWayIn } from '../factors/ways-in.ts';
import { HOUR_MS } from '../lib/clock.ts';
import type { Settings } from '../settings/table.ts';
import { insertHashed, type NewUser } from '../users/add-user.ts';
import { lockSeenUser } from '../users/change-user.ts';
import { findUser, getUser } from '../users/find-user.ts';
import type { User } from '../users/user.ts';
import { issueLink, welcomeUrl } from './issue-link.ts';
import { linkMail } from './mail-texts.ts';
import type { LinkKind } from './queries.ts';

/** How many hours a link is valid: the default for each kind, and the maximum. */
export const linkHours = { invite: 72, reset: 2, maximum: 720 } as const;

/** A link that was created for an operator. */
export interface OfferedLink {
  username: string;
  /** The URL; null if the link was mailed to the user. */
  link: string | null;
  expiresAt: number;
  /** Whether the user was added together with the link. */
  isNew: boolean;
}

interface Needs extends Change {
  settings: Settings;
  outbox: Outbox;
  baseUrl: string;
}

/** Returns the address to which a user's link is mailed. Throws if there is no mail server or no address. */
function requireAddress({ settings }: Needs, { username, email }: User): string {
  if (settings.SMTP_URL === undefined) throw new AppError('MAIL_OFF');
  if (email === null) throw new AppError('EMAIL_MISSING', { username });
  return email;
}

interface Offer {
  user: User;
  /** Whether this transaction added the user. */
  isNew: boolean;
  kind: LinkKind;
  expiresAt: number;
  removesFactor: boolean;
  /** Whether the link is mailed to the user instead of being shown to the operator. */
  isSent: boolean;
}

async function offer(tx: Transaction, needs: Needs, { user, isNew, kind, expiresAt, removesFactor, isSent }: Offer) {
  const { now, actor, settings, outbox, baseUrl } = needs;
  const sentTo = isSent ? requireAddress(needs, user) : null;
  const wish = { user, kind, source: 'command', sentTo, removesFactor, expiresAt } as const;
  const issued = await issueLink(tx, wish, { now, actor });
  const link = welcomeUrl(baseUrl, issued.code);
  const { username } = user;
  if (sentTo !== null) {
    const mail = linkMail(settings, { kind, to: sentTo, username, link, expiresAt, language: undefined });
    await addMail(tx, outbox, { mail, link: issued, now });
  }
  return { username, expiresAt, isNew, link: isSent ? null : link };
}

/**
 * Parses the number of hours for which a link is valid.
 *
 * @throws AppError FIELD_INVALID
 */
export function parseHours(text: string): number {
  const hours = /^\d{1,3}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : 0;
  if (hours > 0 && hours <= linkHours.maximum) return hours;
  throw new AppError('FIELD_INVALID', { field: 'hours', maximum: linkHours.maximum });
}

async function addInvited(tx: Transaction, { settings, now, actor }: Needs, user: Omit<NewUser, 'password'>) {
  const added = await insertHashed(tx, { appName: settings.APP_NAME, now, actor }, { ...user, hash: '' });
  // If the name is taken by now, another command has just added the user. This command then invites that user.
  return { user: added ?? (await getUser(tx, user.name)), isNew: added !== undefined };
}

const untilOf = ({ now }: Needs, hours: number): number => now + Math.round(hours * HOUR_MS);

/**
 * Invites a user with a link to choose the first password. Adds the user if the name is free.
 *
 * @throws AppError USER_HAS_WAY_IN if the user can already sign in; USERNAME_INVALID; MAIL_OFF, EMAIL_MISSING for a
 *   mailed link
 */
export function inviteUser(
  needs: Needs,
  { user: asked, hours, isSent }: { user: Omit<NewUser, 'password'>; hours: number; isSent: boolean },
): Promise<OfferedLink> {
  const { database, settings } = needs;
  return database.transaction(async (tx) => {
    const known = await findUser(tx, asked.name);
    const expiresAt = untilOf(needs, hours);
    const invited = known ? { user: known, isNew: false } : await addInvited(tx, needs, asked);
    const user = await lockSeenUser(tx, { id: invited.user.id });
    if (await hasWayIn(tx, settings, user.id)) {
      const reason = user.deactivatedAt === null ? 'active' : 'inactive';
      throw new AppError('USER_HAS_WAY_IN', { username: user.username, reason });
    }
    return offer(tx, needs, { ...invited, user, kind: 'invite', expiresAt, removesFactor: false, isSent });
  });
}

/**
 * Creates a new invitation link for a user who cannot sign in yet.
 *
 * @throws AppError USER_NOT_FOUND if the user no longer exists; USER_HAS_WAY_IN if the user can already sign in;
 *   MAIL_OFF, EMAIL_MISSING for a mailed link
 */
export function inviteAgain(
  needs: Needs,
  { user: asked, hours, isSent }: { user: Pick<User, 'id'>; hours: number; isSent: boolean },
): Promise<OfferedLink> {
  return needs.database.transaction(async (tx) => {
    const user = await lockSeenUser(tx, { id: asked.id });
    if (await hasWayIn(tx, needs.settings, user.id)) throw new AppError('USER_HAS_WAY_IN', { username: user.username });
    const wish = { kind: 'invite', expiresAt: untilOf(needs, hours), removesFactor: false, isSent } as const;
    return offer(tx, needs, { user, isNew: false, ...wish });
  });
}

interface ResetOffer {
  user: Pick<User, 'id'>;
  hours: number;
  /** Whether using the link removes the user's second factor. */
  removesFactor: boolean;
  isSent: boolean;
}

/**
 * Creates a link with which a user can choose a new password.
 *
 * @throws AppError USER_NOT_FOUND if the user no longer exists; ACCOUNT_INACTIVE; MAIL_OFF, EMAIL_MISSING for a mailed
 *   link
 */
export function offerReset(needs: Needs, { hours, ...wish }: ResetOffer): Promise<OfferedLink> {
  return needs.database.transaction(async (tx) => {
    const user = await lockSeenUser(tx, { id: wish.user.id });
    return offer(tx, needs, { ...wish, user, isNew: false, kind: 'reset', expiresAt: untilOf(needs, hours) });
  });
}
