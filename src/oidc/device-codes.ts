import type { AdapterPayload } from 'oidc-provider';
import { findRegistry } from '../applications/registry.ts';
import { hashCode, parseUserCode } from '../device-login/user-code.ts';
import type { Services } from '../http/route.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { completeDeviceCode, deviceCodeByHash, insertDeviceCode, notePoll, slowDown } from './device-queries.ts';
import { type ActiveGrant, findGrant } from './find-grant.ts';
import { parseScopes } from './grant.ts';
import type { Visit } from './visit.ts';

/** How long a request of the device flow is valid. */
export const DEVICE_SECONDS = 900;
/** Minimum time between two polls. */
export const INTERVAL_SECONDS = 5;
const INTERVAL_MS = INTERVAL_SECONDS * SECOND_MS;

type Needs = Pick<Services, 'database' | 'registryCache' | 'grantCache' | 'clock'>;

/** A request of the device flow, as the polling program gets it. */
export interface PolledCode {
  key: string;
  scopes: string;
  expiresAt: number;
  isDenied: boolean;
  /** Set once a user has approved the request. */
  granted: ActiveGrant | undefined;
}

const textParameter = (params: unknown, name: string): string => {
  const value: unknown = Reflect.get(Object(params), name);
  return typeof value === 'string' ? value : '';
};

/**
 * Stores a request of the device flow. Only the hashes of its codes are stored.
 *
 * @see RFC 8628 §3.2
 */
export async function keepDeviceCode(
  { database, registryCache, clock }: Needs,
  { address }: Pick<Visit, 'address'>,
  code: string,
  { clientId = '', userCode = '', params }: Pick<AdapterPayload, 'clientId' | 'userCode' | 'params'>,
): Promise<void> {
  const application = (await findRegistry({ database, registryCache })).active.get(clientId);
  const readable = parseUserCode(userCode);
  if (!application || readable === undefined) throw new Error('a device code without application or user code');
  const now = clock.now();
  const added = await insertDeviceCode.run(database, {
    deviceCodeHash: sha256(code),
    userCodeHash: hashCode(readable),
    applicationId: application.id,
    scopes: parseScopes(textParameter(params, 'scope')).join(' '),
    resource: textParameter(params, 'resource') || null,
    address,
    intervalMs: INTERVAL_MS,
    now,
    expiresAt: now + DEVICE_SECONDS * SECOND_MS,
  });
  if (added === 0) throw new Error('the user code is taken');
}

/**
 * Finds the state of a request for the program that polls. Only polls of the application that started the request
 * count towards its interval.
 *
 * @param clientKey key of the application that sends the poll
 * @returns `too-early`: the request is still pending, and the program polled before its interval had passed
 */
export async function findDeviceCode(
  services: Needs,
  code: string,
  clientKey: string | undefined,
): Promise<PolledCode | 'too-early' | undefined> {
  const { database, clock } = services;
  const [hash, now] = [sha256(code), clock.now()];
  const row = await deviceCodeByHash.first(database, { hash });
  if (!row || row.status === 'completed') return undefined;
  const { key, scopes, status, expires_at: expiresAt, grant_id: grantId } = row;
  const counts = key === clientKey && status === 'pending' && expiresAt > now;
  if (counts && (await notePoll.run(database, { hash, now })) === 0) {
    await slowDown.run(database, { hash, now, byMs: INTERVAL_MS });
    return 'too-early';
  }
  const granted = grantId === null ? undefined : await findGrant(services, grantId);
  // The request was approved, but the user or the application has lost access since then.
  if (status === 'approved' && !granted) return undefined;
  return { key, scopes, expiresAt, isDenied: status === 'denied', granted };
}

/**
 * Marks an approved request as completed, so that its tokens are issued only once. If the request was denied, changes
 * nothing and returns true too.
 */
export async function useDeviceCode({ database }: Pick<Services, 'database'>, code: string): Promise<boolean> {
  const hash = sha256(code);
  const row = await deviceCodeByHash.first(database, { hash });
  return row?.status === 'denied' || (await completeDeviceCode.run(database, { hash })) > 0;
}
