import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Email } from '../lib/email-address.ts';
import { getUser } from './find-user.ts';
import { isActiveSuperadmin, lockSuperadmins, requireOtherSuperadmin } from './last-superadmin.ts';
import { deletePendingEmail } from './pending-email-queries.ts';
import { lockUserById, updateUser } from './queries.ts';
import { toUser, type User } from './user.ts';

/** The fields to change. A missing field is not changed. */
export interface UserChange {
  fullName?: string | undefined;
  role?: string | undefined;
  apps?: string[] | undefined;
  image?: string | undefined;
  /** An address that is already confirmed; null removes the address. */
  email?: Email | null | undefined;
  isActive?: boolean | undefined;
  createdAt?: number | undefined;
  lastLoginAt?: number | null | undefined;
}

/** A user, and the version of the record that the console has shown. */
export interface SeenUser {
  id: number;
  version: number;
}

/** Returns the JSON names of the fields that a change affects. */
export function changedFields(user: User, change: UserChange): string[] {
  const { fullName, role, apps, image, email, isActive, createdAt, lastLoginAt } = change;
  const isOther = {
    full_name: fullName !== undefined && fullName !== user.fullName,
    role: role !== undefined && role !== user.role,
    allowed_apps: apps !== undefined && JSON.stringify(apps) !== JSON.stringify(user.allowedApps),
    image: image !== undefined && image !== user.image,
    email: email !== undefined && (email?.address ?? null) !== user.email,
    is_active: isActive !== undefined && isActive !== (user.deactivatedAt === null),
    created_at: createdAt !== undefined && createdAt !== user.createdAt,
    last_login_at: lastLoginAt !== undefined && lastLoginAt !== user.lastLoginAt,
  };
  return Object.entries(isOther).flatMap(([field, changes]) => (changes ? [field] : []));
}

/** Returns the changed values that the event contains. Values that are personal data are left out. */
const rightsOf = ({ role, allowedApps, deactivatedAt }: User, fields: readonly string[]) => ({
  ...(fields.includes('role') ? { role } : {}),
  ...(fields.includes('allowed_apps') ? { allowed_apps: allowedApps } : {}),
  ...(fields.includes('is_active') ? { is_active: deactivatedAt === null } : {}),
});

function eventType(after: User, fields: readonly string[]) {
  if (!fields.includes('is_active')) return 'user.updated';
  return after.deactivatedAt === null ? 'user.reactivated' : 'user.deactivated';
}

function deactivation(isActive: boolean | undefined, now: number): number | null | undefined {
  if (isActive === undefined) return undefined;
  return isActive ? null : now;
}

/** Returns the columns for an e-mail address; null removes the address, undefined leaves it unchanged. */
const emailColumns = (email: Email | null | undefined) =>
  email ? { email: email.address, email_key: email.key } : { email, email_key: email };

/**
 * Changes a user whose row the caller has locked. If no field differs, writes nothing and records no event. A change of
 * the e-mail address also deletes an address that the user has not confirmed yet.
 *
 * Subscribers to the event end the user's access after a deactivation. After a loss of rights, they end the access that
 * needed those rights.
 *
 * @throws AppError USER_NOT_FOUND
 */
export async function applyUserChange(
  tx: Transaction,
  { now, actor }: Omit<Change, 'database'>,
  before: User,
  change: UserChange,
): Promise<User> {
  const { id, username } = before;
  const fields = changedFields(before, change);
  if (fields.length === 0) return before;
  const row = await updateUser.first(tx, {
    id,
    full_name: change.fullName,
    role: change.role,
    allowed_apps: change.apps && JSON.stringify(change.apps),
    image: change.image,
    ...emailColumns(change.email),
    created_at: change.createdAt,
    last_login_at: change.lastLoginAt,
    deactivated_at: deactivation(change.isActive, now),
    updated_at: now,
  });
  if (!row) throw new AppError('USER_NOT_FOUND', { username });
  if (fields.includes('email')) await deletePendingEmail.run(tx, { userId: id });
  const after = toUser(row);
  const details = { fields, from: rightsOf(before, fields), to: rightsOf(after, fields) };
  const former = fields.includes('email') && before.email !== null ? { formerEmail: before.email } : {};
  await recordEvent(tx, { type: eventType(after, fields), actor, subject: subjectOf(after), details, ...former });
  return after;
}

/**
 * Locks the row of a user until the transaction ends, and returns the user.
 *
 * @param seen the user's id; with a version, the call fails if the user has another version now
 * @throws AppError USER_NOT_FOUND; CHANGED_MEANWHILE
 */
export async function lockSeenUser(tx: Transaction, { id, version }: { id: number; version?: number | undefined }) {
  const held = await lockUserById.first(tx, { id });
  if (!held) throw new AppError('USER_NOT_FOUND', { id });
  if (version !== undefined && held.version !== version) throw new AppError('CHANGED_MEANWHILE', { id });
  return toUser(held);
}

/**
 * Changes a user.
 *
 * @param who the username, or the user in the version that a console has shown
 * @throws AppError USER_NOT_FOUND; CHANGED_MEANWHILE if the user has another version now; LAST_SUPERADMIN
 */
export function changeUser(
  { database, now, actor }: Change,
  who: string | SeenUser,
  change: UserChange,
): Promise<User> {
  return database.transaction(async (tx) => {
    if (change.role !== undefined || change.isActive === false) await lockSuperadmins(tx);
    const before = await lockSeenUser(tx, typeof who === 'string' ? { id: (await getUser(tx, who)).id } : who);
    const after = await applyUserChange(tx, { now, actor }, before, change);
    if (isActiveSuperadmin(before) && !isActiveSuperadmin(after)) await requireOtherSuperadmin(tx, after);
    return after;
  });
}
