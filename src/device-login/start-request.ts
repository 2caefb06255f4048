import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { cleanText } from '../lib/plain-text.ts';
import { type Profile, toProfile } from './profile.ts';
import { insertRequest, profileById, profileByKey } from './queries.ts';
import { LIFE_SECONDS } from './request.ts';
import type { DeviceRequest } from './schemas.ts';
import { hashCode, newDeviceCode, newUserCode } from './user-code.ts';

/** How many user codes to try. A random code is almost never in use already, so even a second try is rare. */
const MAX_TRIES = 5;

export interface StartedRequest {
  userCode: string;
  deviceCode: string;
  clientName: string;
  profile: Profile;
}

type Needs = Pick<Services, 'database' | 'clock'>;

async function getProfile({ database }: Needs, { profileKey, profileId }: DeviceRequest): Promise<Profile> {
  const key = profileKey ?? undefined;
  const id = profileId ?? undefined;
  if (key === undefined && id === undefined) throw new AppError('PROFILE_REQUIRED', { field: 'profileKey' });
  const row =
    key === undefined
      ? await profileById.first(database, { id: id ?? 0 })
      : await profileByKey.first(database, { key });
  if (!row || row.disabled_at !== null) {
    throw new AppError('PROFILE_UNKNOWN', { field: key === undefined ? 'profileId' : 'profileKey' });
  }
  return toProfile(row);
}

/**
 * Starts a program's request for a token.
 *
 * @param address address of the program, which the deciding person sees
 * @returns both codes; the database stores only their hashes
 * @throws AppError CLIENT_NAME_INVALID if the name has no visible character; PROFILE_REQUIRED; PROFILE_UNKNOWN, also if
 *   the profile is disabled
 * @see RFC 8628 §3.1, §3.2
 */
export async function startRequest(services: Needs, request: DeviceRequest, address: string): Promise<StartedRequest> {
  const clientName = cleanText(request.clientName);
  if (clientName === '') throw new AppError('CLIENT_NAME_INVALID', { field: 'clientName' });
  const profile = await getProfile(services, request);
  const now = services.clock.now();
  const deviceCode = newDeviceCode();
  const row = {
    deviceCodeHash: hashCode(deviceCode),
    profileId: profile.id,
    clientName,
    address,
    now,
    expiresAt: now + LIFE_SECONDS * SECOND_MS,
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const userCode = newUserCode();
    const added = await insertRequest.run(services.database, { ...row, userCodeHash: hashCode(userCode) });
    if (added > 0) return { userCode, deviceCode, clientName, profile };
  }
  throw new Error('every user code that was tried is in use');
}
