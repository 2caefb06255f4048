import { issueReservedToken } from '../api-tokens/reserve-token.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { referenceOf } from './decide-request.ts';
import { toProfile } from './profile.ts';
import { completeApproved, denyCompleted, profileById, requestByDeviceCode } from './queries.ts';
import { type RequestState, stateOf } from './request.ts';
import { hashCode } from './user-code.ts';

/** A token on its way to the program, this one time. */
export interface Delivery {
  state: 'delivered';
  token: string;
  prefix: string;
  username: string;
  userId: number;
  tokenId: number;
}

export type Poll = Delivery | { state: Exclude<RequestState, 'approved'> };

type Needs = Pick<Services, 'database' | 'clock' | 'settings'>;

async function getState(handle: Handle, hash: string, now: number): Promise<RequestState> {
  const row = await requestByDeviceCode.first(handle, { hash });
  if (!row) throw new AppError('DEVICE_CODE_UNKNOWN', { state: 'invalid' });
  return stateOf(row, now);
}

/** Completes an approved request and makes its token; undefined when another poll was first, or time ran out. */
async function deliver(tx: Handle, hash: string, rules: { now: number; maximum: number }): Promise<Poll | undefined> {
  const request = await completeApproved.first(tx, { hash, now: rules.now });
  if (!request) return undefined;
  const row = await profileById.first(tx, { id: request.profile_id });
  if (!row) throw new Error('a request without its profile');
  const { scope, expiresInDays, allowedApps } = toProfile(row);
  const wish = { name: request.client_name, scope, lifeDays: expiresInDays, apps: allowedApps };
  const { user_id: userId } = request;
  const reserved = userId !== null && { userId, reference: referenceOf(request.id) };
  const issued = reserved && (await issueReservedToken(tx, reserved, wish, rules));
  if (!issued) {
    await denyCompleted.run(tx, { id: request.id, now: rules.now });
    return { state: 'denied' };
  }
  const { id: tokenId, token, prefix, username } = issued;
  return { state: 'delivered', token, prefix, username, userId: reserved.userId, tokenId };
}

/**
 * Answers the program that polls: where its request stands or, the first time after the approval, the token.
 *
 * Gives   state `denied` also when the approver may not have a token any more: inactive, removed, or over the limit.
 * Throws  AppError DEVICE_CODE_UNKNOWN.
 * Why     token and completion are one transaction: a token without its request completed cannot be, nor two tokens.
 * Source  RFC 8628 §3.4, §3.5
 */
export async function pollRequest({ database, clock, settings }: Needs, deviceCode: string): Promise<Poll> {
  const hash = hashCode(deviceCode);
  const now = clock.now();
  const state = await getState(database, hash, now);
  if (state !== 'approved') return { state };
  const rules = { now, maximum: settings.MAX_TOKENS_PER_USER };
  const delivered = await database.transaction((tx) => deliver(tx, hash, rules));
  if (delivered) return delivered;
  const after = await getState(database, hash, now);
  return { state: after === 'approved' ? 'pending' : after };
}
