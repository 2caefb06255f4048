import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

/** Argon2id: memory in KiB, passes, lanes. Raised here, they are taken over at each user's next sign-in. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`;
const MAX_WAITING = 100;
/** Of the four threads that Node.js has for hashing, files and names of hosts, one is left to files and names. */
const MAX_RUNNING = 3;

const unpadded = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');
/** A hash that no password has: random where another holds salt and result. */
const DECOY = `${CURRENT}${unpadded(16)}$${unpadded(32)}`;

/** More passwords are being hashed than the machine can follow; nothing was done. */
export class HashQueueFull extends Error {}

/** Hashes and compares passwords, a bounded number of them at a time. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
  /** Costs what `verify` costs and answers false: for users that do not exist or have no password. */
  verifyNothing(password: string): Promise<false>;
  needsRehash(hash: string): boolean;
}

/** One form for each password that looks the same, however a keyboard composed it (Unicode TR15, form C). */
const normalise = (password: string): string => password.normalize('NFC');

function createQueue(maxRunning: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async function enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxRunning) {
      if (waiting.length >= MAX_WAITING) throw new HashQueueFull('too many passwords are waiting to be hashed');
      await new Promise<void>((start) => waiting.push(start));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/**
 * Makes the hasher of this process.
 *
 * Needs   processes: how many share the machine's processors with this one, itself included.
 * Gives   hash: PHC string with its parameters and a salt of its own. verify: false also for a hash that cannot be
 *         read. The password counts whole, after Unicode NFC, without a limit of bytes.
 * Throws  HashQueueFull when 100 wait already; the caller asks to try again later.
 * Why     hashing runs beside the event loop on all processors but one, on three at most, so that session checks and writes
 *         to the disk stay fast meanwhile. More processors hash with more processes.
 * Source  RFC 9106; OWASP Password Storage (m=19 MiB, t=2, p=1); ASVS 5.0 11.4.2, 15.2.2
 */
export function createPasswordHasher(processes = 1): PasswordHasher {
  const share = Math.floor((availableParallelism() - 1) / processes);
  const enqueue = createQueue(Math.min(Math.max(1, share), MAX_RUNNING));
  const load = () => import('@node-rs/argon2');

  const hash = (password: string): Promise<string> =>
    enqueue(async () => (await load()).hash(normalise(password), PARAMETERS));
  const verify = (stored: string, password: string): Promise<boolean> =>
    enqueue(async () => {
      const argon2 = await load();
      return argon2.verify(stored, normalise(password)).catch(() => false);
    });

  return {
    hash,
    verify,
    verifyNothing: async (password) => {
      await verify(DECOY, password);
      return false;
    },
    needsRehash: (stored) => !stored.startsWith(CURRENT),
  };
}
