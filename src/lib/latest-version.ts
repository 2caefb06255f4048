import { type Clock, MINUTE_MS } from './clock.ts';

const KNOWN_FOR_MS = 6 * 60 * MINUTE_MS;
const RETRY_AFTER_MS = 60 * MINUTE_MS;
const PATIENCE_MS = 5000;

/** The newest released version of a package, if known. */
export interface LatestVersion {
  /** Never waits: null until a lookup has ended. */
  get(): string | null;
}

/** For UPDATE_CHECK=off: always unknown. */
export const noLatestVersion: LatestVersion = { get: () => null };

/** Asks the package registry that npm is configured for. */
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
 * Answers each call from memory, without waiting, and starts a lookup in the background if the answer is older than six
 * hours. A failed lookup changes nothing; the next one may start an hour later.
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
      // The known version stays. An unreachable registry is not our fault.
    }
  };
  return {
    get: () => {
      if (clock.now() >= nextLookupAt) void look();
      return known;
    },
  };
}
