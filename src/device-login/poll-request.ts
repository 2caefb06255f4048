import { deleteReservation, tokenReach } from '../api-tokens/queries.ts';
import { issueReservedToken } from '../api-tokens/reserve-token.ts';
import { appsInBoth } from '../api-tokens/token-apps.ts';
import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS } from '../lib/clock.ts';
import { lockUsers } from '../users/lock-users.ts';
import { parseList } from '../users/user.ts';
import { referenceOf } from './decide-request.ts';
import { toProfile } from './profile.ts';
import { completeApproved, denyCompleted, profileById, requestByDeviceCode } from './queries.ts';
import { type RequestState, stateOf } from './request.ts';
import { hashCode } from './user-code.ts';

/** The token, for the only reply that contains it. */
export interface Delivery {
  state: 'delivered';
  token: string;
  prefix: string;
  username: string;
}

export type Poll = Delivery | { state: Exclude<RequestState, 'approved'> };

type Needs = Pick<Services, 'database' | 'clock' | 'settings'> & { actor: Actor };

interface Standing {
  state: RequestState;
  /** The user who approved or denied the request. */
  userId: number | null;
}

async function getStanding(handle: Handle, hash: string, now: number): Promise<Standing> {
  const row = await requestByDeviceCode.first(handle, { hash });
  if (!row) throw new AppError('DEVICE_CODE_UNKNOWN', { state: 'invalid' });
  return { state: stateOf(row, now), userId: row.user_id };
}

interface Asked {
  apps: string[];
  expiresAt: number;
  tokenId: number | null;
  now: number;
}

/**
 * Returns the applications and the expiry of the new token: those of the profile, limited by those of the API token
 * that approved the request. Returns undefined if the approving token was revoked or has expired in the meantime.
 */
async function withinApprover(tx: Handle, { apps, expiresAt, tokenId, now }: Asked) {
  if (tokenId === null) return { apps, expiresAt };
  const approver = await tokenReach.first(tx, { id: tokenId, now });
  if (!approver) return undefined;
  const { allowed_apps: own, expires_at: end } = approver;
  return {
    apps: own === null ? apps : appsInBoth(apps, parseList(own)),
    expiresAt: Math.min(expiresAt, end ?? expiresAt),
  };
}

interface Circumstances {
  now: number;
  maximum: number;
  actor: Actor;
}

/**
 * Completes an approved request and creates its token. Returns undefined if another poll completed the request first,
 * or if the request has expired.
 *
 * The caller has locked the approver's row. So neither the approval nor the approving token can end during this call.
 */
async function deliver(tx: Transaction, hash: string, rules: Circumstances): Promise<Poll | undefined> {
  const request = await completeApproved.first(tx, { hash, now: rules.now });
  if (!request) return undefined;
  await deleteReservation.run(tx, { reference: referenceOf(request.id) });
  const row = await profileById.first(tx, { id: request.profile_id });
  if (!row) throw new Error('a request without its profile');
  const { scope, expiresInDays, allowedApps } = toProfile(row);
  const asked = { apps: allowedApps, expiresAt: rules.now + expiresInDays * DAY_MS };
  const reach = await withinApprover(tx, { ...asked, tokenId: request.approver_token_id, now: rules.now });
  const { user_id: userId, approver_token_id: approver } = request;
  const wish = reach && { name: request.client_name, scope, ...reach, parentId: approver ?? undefined };
  const by = { userId: userId ?? 0, actor: rules.actor };
  const issued = userId !== null && wish && (await issueReservedToken(tx, by, wish, rules));
  if (!issued) {
    await denyCompleted.run(tx, { id: request.id, now: rules.now });
    return { state: 'denied' };
  }
  const { token, prefix, username } = issued;
  return { state: 'delivered', token, prefix, username };
}

/**
 * Returns the state of a request to the program that polls. The first poll after the approval returns the token
 * instead.
 *
 * One transaction creates the token and completes the request, so each request yields at most one token.
 *
 * @returns the state, which is also `denied` if the approver may no longer have a token (inactive, removed, too many
 *   tokens), or if the API token that approved the request no longer exists
 * @throws AppError DEVICE_CODE_UNKNOWN
 * @see RFC 8628 §3.4, §3.5
 */
export async function pollRequest({ database, clock, settings, actor }: Needs, deviceCode: string): Promise<Poll> {
  const hash = hashCode(deviceCode);
  const now = clock.now();
  const { state, userId } = await getStanding(database, hash, now);
  if (state !== 'approved') return { state };
  const rules = { now, maximum: settings.MAX_TOKENS_PER_USER, actor };
  const delivered = await database.transaction(async (tx) => {
    if (userId !== null) await lockUsers(tx, [userId]);
    return deliver(tx, hash, rules);
  });
  if (delivered) return delivered;
  const after = await getStanding(database, hash, now);
  return { state: after.state === 'approved' ? 'pending' : after.state };
}
