import { createLocalJWKSet, errors } from 'jose';
import { isRecent } from '../lib/clock.ts';
import { fault, logText } from './fault.ts';
import { type Endpoint, readJsonObject, requestProvider, withoutNulls } from './outgoing.ts';

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** The minimum time between two fetches of the keys, so that invented key ids do not cause a request each time. */
const REST_MS = 10_000;

/** The known keys of an issuer. */
export interface IssuerKeys {
  /**
   * Calls `use` with the keys, and once more with new ones if they lack the key that `use` looks for.
   *
   * @throws AppError PROVIDER_… if the keys cannot be fetched; what `use` throws
   */
  verify<T>(use: (find: FindKey) => Promise<T>): Promise<T>;
}

async function fetchKeys(endpoint: Endpoint): Promise<FindKey> {
  const { keys } = await readJsonObject(await requestProvider(endpoint), endpoint);
  const objects = Array.isArray(keys) ? keys.filter((key) => typeof key === 'object' && key !== null) : [];
  try {
    return createLocalJWKSet({ keys: objects.map((key) => ({ kty: '', ...withoutNulls(key) })) });
  } catch (error) {
    throw fault('PROVIDER_ANSWER_INVALID', `the keys of the provider cannot be used: ${logText(String(error))}`);
  }
}

/**
 * Caches the keys of an issuer.
 *
 * If a key is missing from the keys of an earlier sign-in, they are fetched again at once, so a sign-in right after a
 * change of keys works. Then there is a pause, because anyone can cause tokens with unknown keys.
 *
 * @param now milliseconds, at the sign-in that uses the keys
 */
export function createIssuerKeys(endpoint: Endpoint): { at(now: number): IssuerKeys } {
  let known: { find: FindKey; renewedAt: number | undefined } | undefined;
  const fetchNew = async (renewedAt: number | undefined): Promise<FindKey> => {
    const find = await fetchKeys(endpoint);
    known = { find, renewedAt };
    return find;
  };
  return {
    at: (now) => ({
      verify: async (use) => {
        if (!known) return use(await fetchNew(undefined));
        const { find, renewedAt } = known;
        const isResting = renewedAt !== undefined && isRecent(renewedAt, { now, ms: REST_MS });
        try {
          return await use(find);
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey) || isResting) throw error;
          return use(await fetchNew(now));
        }
      },
    }),
  };
}
