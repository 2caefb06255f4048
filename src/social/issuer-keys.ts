import { createLocalJWKSet, errors } from 'jose';
import { isRecent } from '../lib/clock.ts';
import { fault, logText } from './fault.ts';
import { type Endpoint, readJsonObject, requestProvider, withoutNulls } from './outgoing.ts';

type FindKey = ReturnType<typeof createLocalJWKSet>;

/**
 * The least time between two fetches of the keys. Without it, each token with an invented key id would cause a fetch.
 */
const REST_MS = 10_000;

/** The signing keys of an issuer, cached. */
export interface IssuerKeys {
  /**
   * Calls `use` with the cached keys. If they lack the key that `use` needs, fetches the keys again and calls `use` once
   * more.
   *
   * @throws AppError PROVIDER_… if the keys cannot be fetched; any error of `use`
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
 * Creates the cache of an issuer's keys.
 *
 * If a sign-in needs a key that is not cached, the keys are fetched again at once, so that a sign-in right after a key
 * rotation works. The next fetch must then wait ten seconds, because anyone can send tokens with unknown keys.
 *
 * @param now time of the sign-in that uses the keys, in milliseconds
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
