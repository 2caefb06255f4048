import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { steadyClock } from './clock.ts';
import { type Asker, FairQueue } from './fair-queue.ts';
import { isImportedHash, openImportedHash } from './imported-hash.ts';
import type { Sealer } from './sealing.ts';

/**
 * The parameters of Argon2id: memory in KiB, passes, lanes. A hash with weaker parameters is replaced when its user
 * next signs in.
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`;
/**
 * A password that would wait longer than MAX_WAIT_MS is refused at once. One that has waited for GIVE_UP_MS is
 * refused too. MIN_WAITING passwords may always wait.
 */
const MAX_WAIT_MS = 2000;
const GIVE_UP_MS = 5000;
const MIN_WAITING = 30;
/** The estimated time of one hash, until the first one is measured. */
const EXPECTED_MS = 25;
/** Node.js has four threads for hashing, files and host names. One of them stays free for files and host names. */
const MAX_RUNNING = 3;

const unpadded = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');
/** A hash that belongs to no password. Its salt and result are random. */
const DECOY = `${CURRENT}${unpadded(16)}$${unpadded(32)}`;

/** Hashes and verifies a limited number of passwords at a time. Each function may throw QueueFull and AskerGone. */
export interface PasswordHasher {
  hash(password: string, asker?: Asker): Promise<string>;
  verify(hash: string, password: string, asker?: Asker): Promise<boolean>;
  /**
   * Takes as long as `verify` and returns false. Use it for users who do not exist or have no password, so that the
   * time does not reveal them.
   */
  verifyNothing(password: string, asker?: Asker): Promise<false>;
  needsRehash(hash: string): boolean;
  /** Returns how many passwords wait in this process, and the estimated wait of the next one. */
  load(): { waiting: number; waitMs: number };
}

/** The parameters of a hash in PHC format (RFC 9106 §3.1). */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/;

/**
 * Returns whether each parameter of a hash is at least as strong as in a new hash. A stronger hash must stay,
 * because during an update of the service, processes with old and new parameters would otherwise replace each
 * other's hashes.
 */
function isStrong(stored: string): boolean {
  const [, memory, passes] = PHC.exec(stored) ?? [];
  return Number(memory) >= PARAMETERS.memoryCost && Number(passes) >= PARAMETERS.timeCost;
}

/**
 * Converts a password to Unicode form C, because keyboards send the same visible password in different forms
 * (Unicode TR15).
 */
const normalise = (password: string): string => password.normalize('NFC');

/**
 * Creates the password hasher of this process.
 *
 * Hashing runs outside the event loop, on all processors but one and on three at most, so that session checks and
 * disk writes stay fast. Clients take turns, and a password that would wait longer than two seconds is refused.
 *
 * A failure of the library or an unreadable stored hash throws, because it does not mean that the password is
 * wrong.
 *
 * @param processes number of processes that share the machine's processors, including this one
 * @param sealer opens imported hashes; without it they cannot be verified
 * @param onDone called with how long each password waited and how long its hash took
 * @returns `hash` returns a PHC string with the parameters and a new salt. It covers the whole password in Unicode
 * NFC, without a limit of bytes
 * @see RFC 9106; OWASP Password Storage (m=19 MiB, t=2, p=1); ASVS 5.0 11.4.2, 15.2.2
 */
export function createPasswordHasher(
  processes = 1,
  sealer?: Pick<Sealer, 'open'>,
  onDone?: (times: { waitedMs: number; tookMs: number }) => void,
): PasswordHasher {
  const share = Math.floor((availableParallelism() - 1) / processes);
  const maxRunning = Math.min(Math.max(1, share), MAX_RUNNING);
  const queue = new FairQueue({
    maxRunning,
    maxWaitMs: MAX_WAIT_MS,
    minWaiting: MIN_WAITING,
    giveUpMs: GIVE_UP_MS,
    expectedMs: EXPECTED_MS,
    steady: steadyClock,
    onDone,
  });
  const load = () => import('@node-rs/argon2');

  const hash: PasswordHasher['hash'] = (password, asker) =>
    queue.run(async () => (await load()).hash(normalise(password), PARAMETERS), asker);
  const verifyImported = async (stored: string, password: string) => {
    const text = sealer && openImportedHash(sealer, stored);
    if (text === undefined) throw new Error('the data key that sealed the imported hash is not known');
    const { verifyForeignHash } = await import('./verify-foreign-hash.ts');
    return verifyForeignHash(text, password);
  };
  const verify: PasswordHasher['verify'] = (stored, password, asker) =>
    queue.run(async () => {
      if (isImportedHash(stored)) return verifyImported(stored, password);
      const argon2 = await load();
      return argon2.verify(stored, normalise(password));
    }, asker);

  return {
    hash,
    verify,
    verifyNothing: async (password, asker) => {
      await verify(DECOY, password, asker);
      return false;
    },
    needsRehash: (stored) => !isStrong(stored),
    load: () => queue.load,
  };
}
