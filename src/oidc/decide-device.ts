import type { Application } from '../applications/application.ts';
import { findRegistry } from '../applications/registry.ts';
import { hashCode, parseUserCode } from '../device-login/user-code.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, asUser } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import { lockUsers } from '../users/lock-users.ts';
import { decideDeviceCode, deviceCodeByUserCode } from './device-queries.ts';
import { allScopes, parseScopes } from './grant.ts';
import { insertGrant } from './queries.ts';
import type { Visitor } from './visit.ts';

type Needs = Pick<Services, 'database' | 'registryCache' | 'clock'>;

/** A pending request of the device flow. */
export interface WaitingDevice {
  /** The user code, as the device shows it. */
  userCode: string;
  deviceCodeHash: string;
  application: Application;
  /** The requested scopes that this service supports. */
  scopes: string[];
  resource: string | null;
  address: string;
}

/** Finds the request for a typed user code. Returns undefined if there is none, or if it is not pending. */
export async function findWaitingDevice(services: Needs, typed: string): Promise<WaitingDevice | undefined> {
  const userCode = parseUserCode(typed);
  if (userCode === undefined) return undefined;
  const row = await deviceCodeByUserCode.first(services.database, { hash: hashCode(userCode) });
  if (row?.status !== 'pending' || row.expires_at <= services.clock.now()) return undefined;
  const application = (await findRegistry(services)).active.get(row.key);
  if (!application) return undefined;
  const { device_code_hash: deviceCodeHash, resource, address } = row;
  const scopes = parseScopes(row.scopes).filter((scope) => allScopes.includes(scope));
  return { userCode, deviceCodeHash, application, scopes, resource, address };
}

/**
 * Approves or denies a request of the device flow. Only the first decision counts. The grant of an approval is not
 * bound to a session.
 *
 * @throws AppError DEVICE_REQUEST_DECIDED; NOT_SIGNED_IN if the session has ended meanwhile
 * @see RFC 8628 §3.3
 */
export async function decideDevice(
  { database, clock, actor }: Pick<Services, 'database' | 'clock'> & { actor: Actor },
  { user, sessionId, authenticatedAt, amr }: Visitor,
  { deviceCodeHash: hash, application, scopes, resource }: WaitingDevice,
  isApproved: boolean,
): Promise<void> {
  const now = clock.now();
  const id = newUuid();
  await database.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    await requireLockedSession(tx, { id: sessionId }, now);
    if (isApproved) {
      const grant = { id, kind: 'device', userId: user.id, applicationId: application.id, sessionId: null, sid: '' };
      const rest = { scopes: scopes.join(' '), resource, nonce: null, authenticatedAt, amr: JSON.stringify(amr), now };
      await insertGrant.run(tx, { ...grant, ...rest, expiresAt: now + DAY_MS });
    }
    const decision = isApproved ? { status: 'approved', grantId: id } : { status: 'denied', grantId: null };
    if ((await decideDeviceCode.run(tx, { hash, ...decision, now })) === 0)
      throw new AppError('DEVICE_REQUEST_DECIDED');
    if (!isApproved) return;
    const subject = { id: user.id, name: user.username };
    const details = { id, change: 'given', fields: ['device'] } as const;
    const by = asUser(actor, subject, sessionId);
    await recordEvent(tx, { type: 'grant.changed', actor: by, subject, details, application: application.key });
  });
}
