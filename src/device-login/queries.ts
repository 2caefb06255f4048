import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { DAY_MS } from '../lib/clock.ts';

const profileColumns = ['id', 'key', 'name', 'scope', 'allowed_apps', 'expires_in_days', 'disabled_at'] as const;

interface NewProfile {
  key: string;
  name: string;
  scope: string;
  allowedApps: string;
  expiresInDays: number;
  now: number;
}

/** Adds a profile. Returns no row if the key is taken. */
export const insertProfile = defineQuery('cliProfiles.insert', (db, profile: NewProfile) =>
  db
    .insertInto('cli_profiles')
    .values({
      key: profile.key,
      name: profile.name,
      scope: profile.scope,
      allowed_apps: profile.allowedApps,
      expires_in_days: profile.expiresInDays,
      created_at: profile.now,
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning(profileColumns),
);

export const allProfiles = defineQuery('cliProfiles.all', (db) =>
  db.selectFrom('cli_profiles').select(profileColumns).orderBy('id'),
);

export const profileByKey = defineQuery('cliProfiles.byKey', (db, { key }: { key: string }) =>
  db.selectFrom('cli_profiles').select(profileColumns).where('key', '=', key),
);

export const profileById = defineQuery('cliProfiles.byId', (db, { id }: { id: number }) =>
  db.selectFrom('cli_profiles').select(profileColumns).where('id', '=', id),
);

interface ChangedProfile {
  key: string;
  name: string;
  scope: string;
  allowedApps: string;
  expiresInDays: number;
  disabledAt: number | null;
}

/** Replaces all fields of a profile that an operator can set. */
export const updateProfile = defineQuery('cliProfiles.update', (db, profile: ChangedProfile) =>
  db
    .updateTable('cli_profiles')
    .set({
      name: profile.name,
      scope: profile.scope,
      allowed_apps: profile.allowedApps,
      expires_in_days: profile.expiresInDays,
      disabled_at: profile.disabledAt,
    })
    .where('key', '=', profile.key),
);

/** Disables an active profile. Returns it, or no row if there is no active profile with this key. */
export const disableActiveProfile = defineQuery(
  'cliProfiles.disable',
  (db, { key, now }: { key: string; now: number }) =>
    db
      .updateTable('cli_profiles')
      .set({ disabled_at: now })
      .where('key', '=', key)
      .where('disabled_at', 'is', null)
      .returning(profileColumns),
);

/** Enables a disabled profile. Returns it, or no row if there is no disabled profile with this key. */
export const enableDisabledProfile = defineQuery('cliProfiles.enable', (db, { key }: { key: string }) =>
  db
    .updateTable('cli_profiles')
    .set({ disabled_at: null })
    .where('key', '=', key)
    .where('disabled_at', 'is not', null)
    .returning(profileColumns),
);

interface NewRequest {
  userCodeHash: string;
  deviceCodeHash: string;
  profileId: number;
  clientName: string;
  address: string;
  now: number;
  expiresAt: number;
}

/** Adds a request. Changes nothing if the user code is in use. */
export const insertRequest = defineQuery('deviceRequests.insert', (db, request: NewRequest) =>
  db
    .insertInto('device_requests')
    .values({
      user_code_hash: request.userCodeHash,
      device_code_hash: request.deviceCodeHash,
      profile_id: request.profileId,
      client_name: request.clientName,
      address: request.address,
      status: 'pending',
      created_at: request.now,
      expires_at: request.expiresAt,
    })
    .onConflict((conflict) => conflict.column('user_code_hash').doNothing()),
);

/** A request with the facts that its approver needs. */
export const requestByUserCode = defineQuery('deviceRequests.byUserCode', (db, { hash }: { hash: string }) =>
  db
    .selectFrom('device_requests')
    .innerJoin('cli_profiles', 'cli_profiles.id', 'device_requests.profile_id')
    .select([
      'device_requests.status',
      'device_requests.expires_at',
      'device_requests.created_at',
      'device_requests.client_name',
      'device_requests.address',
      'cli_profiles.name as profile_name',
      'cli_profiles.scope',
      'cli_profiles.allowed_apps',
      'cli_profiles.expires_in_days',
      'cli_profiles.disabled_at',
    ])
    .where('device_requests.user_code_hash', '=', hash),
);

export const requestByDeviceCode = defineQuery('deviceRequests.byDeviceCode', (db, { hash }: { hash: string }) =>
  db
    .selectFrom('device_requests')
    .innerJoin('cli_profiles', 'cli_profiles.id', 'device_requests.profile_id')
    .select([
      'device_requests.status',
      'device_requests.expires_at',
      'device_requests.user_id',
      'cli_profiles.disabled_at',
    ])
    .where('device_requests.device_code_hash', '=', hash),
);

interface Decision {
  hash: string;
  status: 'approved' | 'denied';
  userId: number;
  tokenId: number | null;
  now: number;
}

/** Approves or denies a request that is pending, not expired and of an active profile. Returns it, or no row. */
export const decidePending = defineQuery(
  'deviceRequests.decide',
  (db, { hash, status, userId, tokenId, now }: Decision) =>
    db
      .updateTable('device_requests')
      .set({ status, user_id: userId, approver_token_id: tokenId, decided_at: now })
      .where('user_code_hash', '=', hash)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now)
      .where('profile_id', 'in', db.selectFrom('cli_profiles').select('id').where('disabled_at', 'is', null))
      .returning(['id', 'expires_at', 'client_name', 'profile_id']),
);

/**
 * Completes a request that is approved, not expired and of an active profile. Returns it, or no row. If several polls come
 * at the same time, only one gets the row.
 */
export const completeApproved = defineQuery(
  'deviceRequests.complete',
  (db, { hash, now }: { hash: string; now: number }) =>
    db
      .updateTable('device_requests')
      .set({ status: 'completed', completed_at: now })
      .where('device_code_hash', '=', hash)
      .where('status', '=', 'approved')
      .where('expires_at', '>', now)
      .where('profile_id', 'in', db.selectFrom('cli_profiles').select('id').where('disabled_at', 'is', null))
      .returning(['id', 'user_id', 'approver_token_id', 'profile_id', 'client_name']),
);

/** Denies a request in the same transaction that completed it, because the user may no longer have a token. */
export const denyCompleted = defineQuery('deviceRequests.takeBack', (db, { id, now }: { id: number; now: number }) =>
  db
    .updateTable('device_requests')
    .set({ status: 'denied', completed_at: null, decided_at: now })
    .where('id', '=', id)
    .where('status', '=', 'completed'),
);

/** Revokes a user's approvals whose tokens were not fetched yet. */
export const denyApprovedOfUser = defineQuery(
  'deviceRequests.denyApprovedOfUser',
  (db, { userId }: { userId: number }) =>
    db
      .updateTable('device_requests')
      .set({ status: 'denied' })
      .where('user_id', '=', userId)
      .where('status', '=', 'approved')
      .returning('id'),
);

/** How long after its expiry a request is kept, so that a late poll still gets its outcome. */
const ENDED_KEPT_MS = DAY_MS;

/** Deletes some requests that expired more than a day ago. Each call deletes only a few, so that other work need not wait. */
export const deleteOldRequests = defineDynamicQuery(
  'deviceRequests.deleteOld',
  (db, { now, most }: Portion, { kind }) =>
    db.deleteFrom('device_requests').where(
      'id',
      'in',
      db
        .selectFrom('device_requests')
        .select('id')
        .where('expires_at', '<=', now - ENDED_KEPT_MS)
        .limit(most)
        .$call(skipLocked(kind)),
    ),
);
