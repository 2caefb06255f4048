import type { Transaction } from '../db/handle.ts';
import { subjectOf } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import { anyRecoveryCode, deleteTotpFactorsOfUser, totpFactorsOfUser } from '../factors/queries.ts';
import { TOTP_PURPOSE } from '../factors/totp-secret.ts';
import type { Email } from '../lib/email-address.ts';
import { isImportedHash, openImportedHash, sealImportedHash } from '../lib/imported-hash.ts';
import { isoOrNull } from '../lib/instant.ts';
import { linksOfUsers } from '../social/queries.ts';
import { applyUserChange, changedFields, type UserChange } from '../users/change-user.ts';
import type { UserWithHash } from '../users/find-user.ts';
import { lockAllUsers, lockUsers } from '../users/lock-users.ts';
import { pendingEmailOfUser } from '../users/pending-email-queries.ts';
import { countActiveSuperadmins, setPasswordHash, userByKey } from '../users/queries.ts';
import { toUser, type User } from '../users/user.ts';
import {
  addLink,
  addPasskey,
  addPendingEmail,
  addToken,
  addTotp,
  claimParts,
  type ImportParts,
  type MissingParts,
  missingParts,
} from './import-parts.ts';
import type { ImportRun, Outcome } from './import-run.ts';
import { LineRefusal } from './line-refusal.ts';
import type { UserRecord } from './user-record.ts';

const isActiveSuperadmin = (role: string, isActive: boolean): boolean => role === 'superadmin' && isActive;

/** Returns how an update changes the number of active superadmins: -1, 0 or 1. */
function superadminChange(user: User, { role, isActive }: UserRecord): number {
  const wasActive = user.deactivatedAt === null;
  const before = isActiveSuperadmin(user.role, wasActive);
  const after = isActiveSuperadmin(role ?? user.role, isActive ?? wasActive);
  return Number(after) - Number(before);
}

async function requireOtherSuperadmin(
  tx: Transaction,
  run: ImportRun,
  { role }: UserRecord,
  change: number,
): Promise<void> {
  if (change >= 0) return;
  const { count = 0 } = (await countActiveSuperadmins.first(tx, {})) ?? {};
  if (count + run.superadmins + change < 1)
    throw new LineRefusal(
      'LAST_SUPERADMIN',
      role === undefined || role === 'superadmin' ? 'is_active' : 'role',
      'This is the last active superadmin.',
    );
}

async function requireSameLinks(tx: Transaction, user: User, { links }: UserRecord): Promise<void> {
  const here = await linksOfUsers.all(tx, { userIds: [user.id] });
  const other = here.find(({ provider, account_id: id }) =>
    links.some((link) => link.provider === provider && link.accountId !== id),
  );
  if (other) throw new LineRefusal('LINK_DIFFERS', 'links', `The user is linked to another ${other.provider} account.`);
}

/**
 * Returns the password hash to store. Returns undefined if the user keeps their password, because it was set or
 * used in this service, or because it is the same.
 */
function newHash({ dataSealer }: ImportParts, user: UserWithHash, { password }: UserRecord): string | undefined {
  if (!password || (user.hasPassword && !isImportedHash(user.passwordHash))) return undefined;
  const former = user.hasPassword ? openImportedHash(dataSealer, user.passwordHash) : undefined;
  return former === password.text ? undefined : sealImportedHash(dataSealer, password.text);
}

/** Returns how to change the second factor. A factor that was set up or used in this service stays. */
async function totpChange(
  tx: Transaction,
  { dataSealer }: ImportParts,
  user: UserWithHash,
  { totpSecret }: UserRecord,
): Promise<'added' | 'renewed' | undefined> {
  if (totpSecret === undefined) return undefined;
  const factors = await totpFactorsOfUser.all(tx, { userId: user.id });
  if (factors.length === 0) return 'added';
  const wasUsed = user.hasPassword && !isImportedHash(user.passwordHash);
  const isOwn = wasUsed || (await anyRecoveryCode.first(tx, { userId: user.id })) !== undefined;
  const isSame = factors.some(({ secret }) => dataSealer.open(TOTP_PURPOSE, secret) === totpSecret);
  return isSame || isOwn || factors.some((factor) => factor.last_step > 0) ? undefined : 'renewed';
}

/** Returns the last sign-in of the record if it is later than the last sign-in in this service. */
const laterSignIn = (user: User, { lastLoginAt }: UserRecord): number | undefined =>
  typeof lastLoginAt === 'number' && lastLoginAt > (user.lastLoginAt ?? -Infinity) ? lastLoginAt : undefined;

const toChange = (user: User, record: UserRecord): UserChange => ({
  fullName: record.fullName,
  role: record.role,
  apps: record.apps,
  image: record.image,
  email: record.email,
  isActive: record.isActive,
  createdAt: record.createdAt,
  lastLoginAt: laterSignIn(user, record),
});

/**
 * Returns the unconfirmed e-mail address to store. Returns undefined if the address is already confirmed or already
 * stored as unconfirmed.
 */
async function newPendingEmail(
  tx: Transaction,
  { now }: ImportParts,
  user: User,
  { emailPending: email }: UserRecord,
): Promise<Email | undefined> {
  if (!email || email.address === user.email) return undefined;
  const pending = await pendingEmailOfUser.first(tx, { userId: user.id, now });
  return pending?.email === email.address ? undefined : email;
}

type Plan = Awaited<ReturnType<typeof planUpdate>>;

/** Determines what a record changes. Throws if a change is refused. Writes nothing. */
async function planUpdate(tx: Transaction, run: ImportRun, parts: ImportParts, user: UserWithHash, record: UserRecord) {
  const superadmins = superadminChange(user, record);
  await requireOtherSuperadmin(tx, run, record, superadmins);
  await requireSameLinks(tx, user, record);
  return {
    superadmins,
    fields: changedFields(user, toChange(user, record)),
    missing: await missingParts(tx, run.claims, record, user.id),
    emailPending: await newPendingEmail(tx, parts, user, record),
    hash: newHash(parts, user, record),
    totp: await totpChange(tx, parts, user, record),
  };
}

function changesNothing({ fields, missing, emailPending, hash, totp }: Plan): boolean {
  const { links, tokens, passkeys } = missing;
  const count = fields.length + links.length + tokens.length + passkeys.length;
  return count === 0 && hash === undefined && totp === undefined && emailPending === undefined;
}

/**
 * Writes the changes of a plan. Records one event per kind of change, the same event that the command for such a
 * change records.
 */
async function applyPlan(tx: Transaction, parts: ImportParts, user: UserWithHash, record: UserRecord, plan: Plan) {
  const { actor, now } = parts;
  const subject = subjectOf(user);
  await applyUserChange(tx, { now, actor }, user, toChange(user, record));
  if (plan.hash !== undefined) {
    await setPasswordHash.run(tx, { id: user.id, hash: plan.hash });
    await recordEvent(tx, { type: 'password.changed', actor, subject, details: { way: 'command' } });
  }
  if (plan.totp !== undefined && record.totpSecret !== undefined) {
    await deleteTotpFactorsOfUser.run(tx, { userId: user.id });
    await addTotp(tx, parts, user.id, record.totpSecret);
    await recordEvent(tx, { type: 'factor.changed', actor, subject, details: { kind: 'totp', change: plan.totp } });
  }
  if (plan.emailPending) {
    await addPendingEmail(tx, user.id, plan.emailPending);
    const details = { fields: ['email_pending'], from: {}, to: {} };
    await recordEvent(tx, { type: 'user.updated', actor, subject, details });
  }
  await applyParts(tx, parts, user, plan.missing);
}

/** Adds the links, passkeys and tokens that the user does not have yet. Records one event for each. */
async function applyParts(tx: Transaction, parts: ImportParts, user: User, { links, tokens, passkeys }: MissingParts) {
  const { actor } = parts;
  const subject = subjectOf(user);
  for (const link of links) {
    await addLink(tx, parts, user.id, link);
    const details = { provider: link.provider, account_id: link.accountId, change: 'added' } as const;
    await recordEvent(tx, { type: 'connection.changed', actor, subject, details });
  }
  for (const passkey of passkeys) {
    const ref = await addPasskey(tx, parts, user.id, passkey);
    const details = { kind: 'passkey', change: 'added', passkey_ref: ref } as const;
    await recordEvent(tx, { type: 'factor.changed', actor, subject, details });
  }
  for (const token of tokens) {
    const id = await addToken(tx, parts, user.id, token);
    const expires = isoOrNull(token.expiresAt);
    const details = { token_id: id, scope: token.scope, expires_at: expires, way: 'self' } as const;
    await recordEvent(tx, { type: 'token.created', actor, subject, details });
  }
}

/**
 * Updates an existing user with a record. Writes the fields, and adds missing links, tokens and passkeys. A
 * password or second factor that was set or used in this service stays.
 *
 * @param tx open transaction that has not locked any row yet
 * @returns undefined if the user no longer exists
 * @throws LineRefusal LINK_DIFFERS, LINK_TAKEN, TOKEN_TAKEN, PASSKEY_TAKEN, LAST_SUPERADMIN
 */
export async function updateImportedUser(
  tx: Transaction,
  run: ImportRun,
  parts: ImportParts,
  record: UserRecord,
): Promise<Outcome | undefined> {
  const found = await userByKey.first(tx, { key: record.username.key });
  if (!found) return undefined;
  const changesRights = record.role !== undefined || record.isActive !== undefined;
  if (changesRights && superadminChange(toUser(found), record) < 0) await lockAllUsers(tx);
  else await lockUsers(tx, [found.id]);
  const row = await userByKey.first(tx, { key: record.username.key });
  if (!row) return undefined;
  const user = { ...toUser(row), passwordHash: row.password_hash, passwordVersion: row.password_version };
  const plan = await planUpdate(tx, run, parts, user, record);
  if (changesNothing(plan)) return 'unchanged';
  run.importedTokens += plan.missing.tokens.length;
  if (run.isDry) {
    claimParts(run.claims, plan.missing);
    run.superadmins += plan.superadmins;
  } else await applyPlan(tx, parts, user, record, plan);
  return 'updated';
}
