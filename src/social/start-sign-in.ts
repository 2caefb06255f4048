import { createHash } from 'node:crypto';
import { returnAddress } from '../applications/return-address.ts';
import type { CookieChange, FamilyMember } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { randomText } from '../lib/random.ts';
import { callbackAddress } from './callback-address.ts';
import { leadBack } from './lead-back.ts';
import type { Provider } from './provider.ts';
import { startCookies } from './start-cookie.ts';

/** Limit for the percent-encoded target. A longer target does not fit into the cookie. */
const MAX_REDIRECT_BYTES = 2600;

const SECRET_BYTES = 24;
/** Encoded, 32 bytes have 43 characters, the least that RFC 7636 §4.1 allows. */
const VERIFIER_BYTES = 32;

/**
 * Starts a sign-in through a provider.
 *
 * @param visit linkFor: the ref of a session whose user links an account instead; asked: the untrusted URL or path that
 *   the visitor wants to go to afterwards; held: the browser's cookies of started sign-ins
 * @returns url: the URL at the provider that the browser goes to; cookies: the data that the callback is checked with
 * @throws AppError PROVIDER_… if creating that URL needs a request to the provider and the request fails
 * @see RFC 6749 §4.1.1; RFC 7636 §4.3; RFC 9700 §2.1.1
 */
export async function startSignIn(
  services: Pick<Services, 'database' | 'registryCache' | 'settings' | 'clock' | 'sealer' | 'baseUrl'>,
  provider: Provider,
  { asked, held, linkFor }: { asked: unknown; held: readonly FamilyMember[]; linkFor?: string },
): Promise<{ url: URL; cookies: CookieChange[] }> {
  const fallback = services.settings.LOGIN_REDIRECT_URL;
  const target = await returnAddress(services, asked);
  const redirect = Buffer.byteLength(JSON.stringify(target)) > MAX_REDIRECT_BYTES ? fallback : target;
  const [state, nonce, verifier] = [randomText(SECRET_BYTES), randomText(SECRET_BYTES), randomText(VERIFIER_BYTES)];
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const redirectUri = callbackAddress(services, provider.settings.name);
  const { name } = provider.settings;
  const start = { provider: name, state, nonce, verifier, redirect, ...(linkFor === undefined ? {} : { linkFor }) };
  const url = await provider.startUrl({ redirectUri, state, nonce, challenge }, services).catch((error: unknown) => {
    throw leadBack(error, start, services.settings);
  });
  return { url, cookies: startCookies({ ...services, held }, start) };
}
