import type { Handle, Transaction } from '../db/handle.ts';
import type { Services } from '../http/route.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { consumeRequest, deleteRequest, requestByHash, saveRequest } from './token-queries.ts';
import type { Progress, Visit, WaitingRequest } from './visit.ts';

/** How long a user may take to sign in and give consent. */
export const WAITING_MS = HOUR_MS;

type Needs = Pick<Services, 'database' | 'clock'>;
type Payload = Record<string, unknown>;

/** `pushed`: an application has pushed the request (RFC 9126). `waiting`: the request waits for the user. */
type RequestKind = 'pushed' | 'waiting';

function parsePayload(text: string): Payload {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Stores a request under the hash of its id. */
export async function keepRequest(
  { database, clock }: Needs,
  { kind, id, payload, lifeMs }: { kind: RequestKind; id: string; payload: object; lifeMs: number },
): Promise<void> {
  const now = clock.now();
  const row = { hash: sha256(id), kind, payload: JSON.stringify(payload), now, expiresAt: now + lifeMs };
  await saveRequest.run(database, row);
}

/** Finds a request that has not expired. */
export async function findRequest({ database, clock }: Needs, kind: RequestKind, id: string) {
  const row = await requestByHash.first(database, { hash: sha256(id), kind });
  if (!row || row.expires_at <= clock.now()) return undefined;
  const { created_at: createdAt, expires_at: expiresAt, consumed_at: consumedAt } = row;
  return { payload: parsePayload(row.payload), createdAt, expiresAt, isConsumed: consumedAt !== null };
}

export async function dropRequest(handle: Handle, id: string): Promise<void> {
  await deleteRequest.run(handle, { hash: sha256(id) });
}

/**
 * Marks as used the requests that an authorization code answers: the request that waited for the user, and the request
 * that the application pushed.
 *
 * @param tx the transaction that stores the code
 * @returns false if the pushed request was used before
 */
export async function useRequests(
  tx: Transaction,
  { waiting, pushedId }: Pick<Visit, 'waiting' | 'pushedId'>,
  now: number,
): Promise<boolean> {
  if (pushedId !== undefined && (await consumeRequest.run(tx, { hash: sha256(pushedId), now })) === 0) return false;
  if (waiting) await dropRequest(tx, waiting.id);
  return true;
}

const PROGRESS = 'progress';

/** Finds an authorization request that waits for the user, and the user's progress with it. */
export async function findWaiting(services: Needs, id: string): Promise<WaitingRequest | undefined> {
  const found = await findRequest(services, 'waiting', id);
  if (!found) return undefined;
  const { [PROGRESS]: progress, params } = found.payload;
  const { agreedBy, hasRefused }: { agreedBy?: unknown; hasRefused?: unknown } = Object(progress);
  return {
    id,
    params: typeof params === 'object' && params !== null ? { ...params } : {},
    startedAt: found.createdAt,
    hasChosen: false,
    agreedBy: typeof agreedBy === 'number' ? agreedBy : undefined,
    hasRefused: hasRefused === true,
  };
}

/** Stores what a user has decided about a pending request. */
export async function noteProgress(
  services: Needs,
  id: string,
  progress: Partial<Pick<Progress, 'agreedBy' | 'hasRefused'>>,
): Promise<void> {
  const found = await findRequest(services, 'waiting', id);
  if (!found) return;
  const payload = { ...found.payload, [PROGRESS]: progress };
  await keepRequest(services, { kind: 'waiting', id, payload, lifeMs: WAITING_MS });
}
