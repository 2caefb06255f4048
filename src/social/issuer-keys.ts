import { createLocalJWKSet, errors } from 'jose';
import { fault, logText } from './fault.ts';
import { type Endpoint, readJsonObject, requestProvider, withoutNulls } from './outgoing.ts';

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** One made-up key id after another makes us ask the provider for its keys no more often than this. */
const REST_MS = 10_000;

/** The keys of an issuer, as far as they are known. */
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
 * Keeps the keys of an issuer.
 *
 * A key that is missing from keys fetched by an earlier sign-in is asked for at once, so a sign-in right after a change of
 * keys works. After that there is a rest, because anyone can bring tokens of the provider about.
 *
 * @param now milliseconds, at the sign-in that uses the keys
 */
export function createIssuerKeys(endpoint: Endpoint): { at(now: number): IssuerKeys } {
  let known: { find: FindKey; mayRenewAt: number } | undefined;
  const renew = async (mayRenewAt: number): Promise<FindKey> => {
    const find = await fetchKeys(endpoint);
    known = { find, mayRenewAt };
    return find;
  };
  return {
    at: (now) => ({
      verify: async (use) => {
        if (!known) return use(await renew(now));
        const { find, mayRenewAt } = known;
        try {
          return await use(find);
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey) || now < mayRenewAt) throw error;
          return use(await renew(now + REST_MS));
        }
      },
    }),
  };
}
