import { type Clock, MINUTE_MS } from './clock.ts';

const KNOWN_FOR_MS = 6 * 60 * MINUTE_MS;
const RETRY_AFTER_MS = 60 * MINUTE_MS;
const PATIENCE_MS = 5000;

/** The newest released version of a package, if it is known. */
export interface LatestVersion {
  /** Returns null until a lookup has succeeded. Never waits. */
  get(): string | null;
}

/** For UPDATE_CHECK=off: the version is always unknown. */
export const noLatestVersion: LatestVersion = { get: () => null };

/** Looks the version up in the package registry that npm is configured to use. */
export async function findLatestVersion(packageName: string): Promise<string> {
  const { default: latestVersion } = await import('latest-version');
  return latestVersion(packageName);
}

function giveUpAfter(ms: number): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('the lookup took too long')), ms).unref();
  });
}

interface LookupParts {
  find(): Promise<string>;
  clock: Clock;
  patienceMs?: number;
}

/**
 * Creates a cache of the newest version. Each call is answered from memory, without waiting. If the answer is older
 * than six hours, the call also starts a lookup in the background. After a failed lookup, the known version stays,
 * and the next lookup may start an hour later.
 */
export function createLatestVersion({ find, clock, patienceMs = PATIENCE_MS }: LookupParts): LatestVersion {
  let known: string | null = null;
  let nextLookupAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    nextLookupAt = clock.now() + RETRY_AFTER_MS;
    try {
      known = await Promise.race([find(), giveUpAfter(patienceMs)]);
      nextLookupAt = clock.now() + KNOWN_FOR_MS;
    } catch {
      // The known version stays. An unreachable registry is not an error of this service.
    }
  };
  return {
    get: () => {
      if (clock.now() >= nextLookupAt) void look();
      return known;
    },
  };
}
