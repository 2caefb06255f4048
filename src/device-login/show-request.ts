import { type ProfileScope, parseProfileScope } from '../api-tokens/token.ts';
import { tokenApps } from '../api-tokens/token-apps.ts';
import type { Services } from '../http/route.ts';
import { parseList, type User } from '../users/user.ts';
import { requestByUserCode } from './queries.ts';
import { type RequestState, stateOf } from './request.ts';
import { hashCode, parseUserCode } from './user-code.ts';

/** What a person needs to know before the decision. */
export interface PendingRequest {
  state: 'pending';
  userCode: string;
  clientName: string;
  profileName: string;
  scope: ProfileScope;
  /** The applications of the profile that the person may use too. */
  apps: string[];
  expiresInDays: number;
  address: string;
  createdAt: number;
  expiresAt: number;
}

export type ShownRequest = PendingRequest | { state: Exclude<RequestState, 'pending'> | 'unknown' };

/** Returns the request with this code, for the person who decides about it. */
export async function showRequest(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  typedCode: string,
  viewer: Pick<User, 'role' | 'allowedApps'>,
): Promise<ShownRequest> {
  const userCode = parseUserCode(typedCode);
  const row = userCode && (await requestByUserCode.first(database, { hash: hashCode(userCode) }));
  if (!row) return { state: 'unknown' };
  const state = stateOf(row, clock.now());
  if (state !== 'pending') return { state };
  return {
    state,
    userCode,
    clientName: row.client_name,
    profileName: row.profile_name,
    scope: parseProfileScope(row.scope),
    apps: tokenApps(parseList(row.allowed_apps), viewer),
    expiresInDays: row.expires_in_days,
    address: row.address,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
