import { findRegistry } from '../applications/registry.ts';
import type { Services } from '../http/route.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { signJwt } from './jwt.ts';
import { getKeys, type KeyNeeds, privateKeyOf } from './keys.ts';
import { LOGOUT, type Logout } from './logout-queue.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LIFE_SECONDS = 120;
const TIMEOUT_MS = 5 * SECOND_MS;

const FIRST_DELAYS_MS = [2 * SECOND_MS, 10 * SECOND_MS, 30 * SECOND_MS];
const MAX_DELAY_MINUTES = 5;

/** Returns the delay before the next attempt. It is short for the first attempts, and then two to five minutes. */
const logoutDelay = (attempts: number): number =>
  FIRST_DELAYS_MS[attempts - 1] ?? Math.min(MAX_DELAY_MINUTES, attempts - 2) * MINUTE_MS;

type Needs = KeyNeeds & Pick<Services, 'registryCache' | 'baseUrl'>;

function parseLogout(payload: unknown): Logout {
  const { applicationId, sub, sid }: Partial<Record<keyof Logout, unknown>> = Object(payload);
  if (typeof applicationId !== 'number' || typeof sub !== 'string' || typeof sid !== 'string')
    throw new Error('a logout that does not say whose');
  return { applicationId, sub, sid };
}

/** Creates a new logout token. */
async function logoutToken(services: Needs, key: string, alg: string, { sub, sid }: Logout): Promise<string> {
  const signing = (await getKeys(services)).find((one) => one.alg === alg && one.retiresAt === null);
  if (!signing) throw new Error(`no key signs by ${alg}`);
  const iat = Math.floor(services.clock.now() / SECOND_MS);
  const claims = { iss: services.baseUrl(), aud: key, iat, exp: iat + LIFE_SECONDS, jti: newUuid(), sub, sid };
  return signJwt(privateKeyOf(signing, services.dataSealer), 'logout+jwt', { ...claims, events: { [EVENT]: {} } });
}

/**
 * Creates the sender of back-channel logout messages. It sends nothing if the application was disabled or has no
 * back-channel logout URI.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8
 */
export const logoutSender = (services: Needs) => ({
  kind: LOGOUT,
  delayAfter: logoutDelay,
  send: async ({ payload }: { payload: unknown }, signal: AbortSignal): Promise<undefined> => {
    const logout = parseLogout(payload);
    const { active } = await findRegistry(services);
    const application = [...active.values()].find(({ id }) => id === logout.applicationId);
    const uri = application?.backchannelLogoutUri;
    if (!application || !uri) return undefined;
    const body = new URLSearchParams({
      logout_token: await logoutToken(services, application.key, application.idTokenAlg, logout),
    });
    const reply = await fetch(uri, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await reply.body?.cancel();
    if (reply.status !== 200 && reply.status !== 204)
      throw new Error(`${application.key} answers its logout with ${reply.status}`);
    return undefined;
  },
});
