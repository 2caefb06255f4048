import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface NewDeviceCode {
  deviceCodeHash: string;
  userCodeHash: string;
  applicationId: number;
  scopes: string;
  resource: string | null;
  address: string;
  intervalMs: number;
  now: number;
  expiresAt: number;
}

/** Adds a request of the device flow. Adds nothing if its user code is already taken. */
export const insertDeviceCode = defineQuery('oidcDeviceCodes.insert', (db, code: NewDeviceCode) =>
  db
    .insertInto('oidc_device_codes')
    .values({
      device_code_hash: code.deviceCodeHash,
      user_code_hash: code.userCodeHash,
      application_id: code.applicationId,
      grant_id: null,
      status: 'pending',
      scopes: code.scopes,
      resource: code.resource,
      address: code.address,
      interval_ms: code.intervalMs,
      polled_at: null,
      created_at: code.now,
      expires_at: code.expiresAt,
    })
    .onConflict((conflict) => conflict.column('user_code_hash').doNothing()),
);

const deviceCodeColumns = [
  'oidc_device_codes.device_code_hash',
  'oidc_device_codes.application_id',
  'oidc_device_codes.grant_id',
  'oidc_device_codes.status',
  'oidc_device_codes.scopes',
  'oidc_device_codes.resource',
  'oidc_device_codes.address',
  'oidc_device_codes.interval_ms',
  'oidc_device_codes.polled_at',
  'oidc_device_codes.created_at',
  'oidc_device_codes.expires_at',
  'applications.key',
] as const;

export const deviceCodeByHash = defineQuery('oidcDeviceCodes.byHash', (db, { hash }: { hash: string }) =>
  db
    .selectFrom('oidc_device_codes')
    .innerJoin('applications', 'applications.id', 'oidc_device_codes.application_id')
    .select(deviceCodeColumns)
    .where('device_code_hash', '=', hash),
);

/** Records a poll, unless it came before the interval had passed. Of two concurrent polls, only one is recorded. */
export const notePoll = defineQuery('oidcDeviceCodes.poll', (db, { hash, now }: { hash: string; now: number }) =>
  db
    .updateTable('oidc_device_codes')
    .set({ polled_at: now })
    .where('device_code_hash', '=', hash)
    .where((where) =>
      where.or([where('polled_at', 'is', null), where(where('polled_at', '+', where.ref('interval_ms')), '<=', now)]),
    ),
);

/** Increases the interval of a program that polls too often. */
export const slowDown = defineQuery(
  'oidcDeviceCodes.slowDown',
  (db, { hash, now, byMs }: { hash: string; now: number; byMs: number }) =>
    db
      .updateTable('oidc_device_codes')
      .set((set) => ({ polled_at: now, interval_ms: set('interval_ms', '+', byMs) }))
      .where('device_code_hash', '=', hash),
);

export const deviceCodeByUserCode = defineQuery('oidcDeviceCodes.byUserCode', (db, { hash }: { hash: string }) =>
  db
    .selectFrom('oidc_device_codes')
    .innerJoin('applications', 'applications.id', 'oidc_device_codes.application_id')
    .select(deviceCodeColumns)
    .where('user_code_hash', '=', hash),
);

/** Stores the decision on a pending request. Changes nothing if the request was decided before or has expired. */
export const decideDeviceCode = defineQuery(
  'oidcDeviceCodes.decide',
  (db, { hash, status, grantId, now }: { hash: string; status: string; grantId: string | null; now: number }) =>
    db
      .updateTable('oidc_device_codes')
      .set({ status, grant_id: grantId })
      .where('device_code_hash', '=', hash)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now),
);

/** Marks an approved request as completed, so that its tokens are issued only once. */
export const completeDeviceCode = defineQuery('oidcDeviceCodes.complete', (db, { hash }: { hash: string }) =>
  db
    .updateTable('oidc_device_codes')
    .set({ status: 'completed' })
    .where('device_code_hash', '=', hash)
    .where('status', '=', 'approved'),
);

export const deleteExpiredDeviceCodes = defineDynamicQuery(
  'oidcDeviceCodes.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('oidc_device_codes')
      .where(
        'device_code_hash',
        'in',
        db
          .selectFrom('oidc_device_codes')
          .select('device_code_hash')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);
