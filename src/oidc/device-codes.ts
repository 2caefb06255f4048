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

/** How long a request waits for its decision. */
export const DEVICE_SECONDS = 900;
/** Between two polls. */
export const INTERVAL_SECONDS = 5;
const INTERVAL_MS = INTERVAL_SECONDS * SECOND_MS;

type Needs = Pick<Services, 'database' | 'registryCache' | 'grantCache' | 'clock'>;

/** A request of the device flow, as a program asks about it. */
export interface PolledCode {
  key: string;
  scopes: string;
  expiresAt: number;
  isDenied: boolean;
  /** Once a person has approved it. */
  granted: ActiveGrant | undefined;
}

const textParameter = (params: unknown, name: string): string => {
  const value: unknown = Reflect.get(Object(params), name);
  return typeof value === 'string' ? value : '';
};

/**
 * Keeps a request of the device flow; only hashes of its codes are stored.
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
 * Looks where a request stands, for the program that polls. Only polls of its own application count.
 *
 * @param asking key of the application that asks
 * @returns too-early: it waits, and the program has asked before its interval was over
 */
export async function findDeviceCode(
  services: Needs,
  code: string,
  asking: string | undefined,
): Promise<PolledCode | 'too-early' | undefined> {
  const { database, clock } = services;
  const [hash, now] = [sha256(code), clock.now()];
  const row = await deviceCodeByHash.first(database, { hash });
  if (!row || row.status === 'completed') return undefined;
  const { key, scopes, status, expires_at: expiresAt, grant_id: grantId } = row;
  const counts = key === asking && status === 'pending' && expiresAt > now;
  if (counts && (await notePoll.run(database, { hash, now })) === 0) {
    await slowDown.run(database, { hash, now, byMs: INTERVAL_MS });
    return 'too-early';
  }
  const granted = grantId === null ? undefined : await findGrant(services, grantId);
  // Approved, but the person or the application has lost the right meanwhile.
  if (status === 'approved' && !granted) return undefined;
  return { key, scopes, expiresAt, isDenied: status === 'denied', granted };
}

/** Takes the tokens of an approved request, once. One that was denied is denied again and again. */
export async function useDeviceCode({ database }: Pick<Services, 'database'>, code: string): Promise<boolean> {
  const hash = sha256(code);
  const row = await deviceCodeByHash.first(database, { hash });
  return row?.status === 'denied' || (await completeDeviceCode.run(database, { hash })) > 0;
}
