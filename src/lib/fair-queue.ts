import type { Clock } from './clock.ts';

/** The client that requests work. Clients take turns, and work does not start for a client that has disconnected. */
export interface Asker {
  client: string;
  /** Aborted once the answer can no longer reach the client. */
  signal?: AbortSignal;
}

/** Thrown if the work would have to wait too long. The work was not started. */
export class QueueFull extends Error {
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super('too much work is waiting');
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  }
}

/** Thrown if the client disconnected before its turn. The work was not started. */
export class AskerGone extends Error {
  constructor() {
    super('the client has left the queue');
  }
}

interface QueueOptions {
  maxRunning: number;
  /** Work that would have to wait longer than this is refused at once. */
  maxWaitMs: number;
  /** If fewer pieces of work than this would run first, the work is always accepted, even on a busy machine. */
  minWaiting: number;
  /** Work that has already waited this long is refused too. */
  giveUpMs: number;
  /** The estimated duration of a piece of work until the first one is measured. */
  expectedMs: number;
  steady: Clock;
  /** Called with how long each piece of work waited and took. */
  onDone?: ((times: { waitedMs: number; tookMs: number }) => void) | undefined;
}

interface Waiting {
  start(): void;
  leave(error: Error): void;
}

/** The weight of the latest duration in the moving average. */
const WEIGHT = 1 / 8;

/**
 * A queue in which clients take turns, so that a client with much work delays only itself.
 *
 * The queue is limited by the expected wait, which is estimated from the duration of recent work.
 */
export class FairQueue {
  readonly #options: QueueOptions;
  /** The waiting work of each client. The client whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #running = 0;
  #averageMs: number;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#averageMs = options.expectedMs;
  }

  /**
   * Runs a piece of work when its turn comes.
   *
   * @param asker the client; undefined if the process itself needs the work, which is then never refused
   * @throws QueueFull if the work would have to wait too long
   * @throws AskerGone if the client disconnects before its turn
   */
  async run<T>(work: () => Promise<T>, asker?: Asker): Promise<T> {
    const { maxRunning, steady, onDone } = this.#options;
    const asked = steady.now();
    if (asker?.signal?.aborted) throw new AskerGone();
    if (this.#running < maxRunning) this.#running += 1;
    else await this.#turnOf(asker);
    const from = steady.now();
    try {
      return await work();
    } finally {
      const tookMs = steady.now() - from;
      this.#averageMs += (tookMs - this.#averageMs) * WEIGHT;
      onDone?.({ waitedMs: from - asked, tookMs });
      this.#startNext();
    }
  }

  /** The number of waiting pieces of work, and the estimated wait of the next one. */
  get load(): { waiting: number; waitMs: number } {
    const { maxRunning } = this.#options;
    const waiting = [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
    const before = waiting + (this.#running < maxRunning ? 0 : 1);
    return { waiting, waitMs: Math.round((before * this.#averageMs) / maxRunning) };
  }

  /**
   * Returns how many pieces of work would run before the next one of this client: all waiting work of this client, and
   * from every other client at most one piece more than that.
   */
  #before(client: string): number {
    const own = this.#waiting.get(client)?.size ?? 0;
    let count = own;
    for (const [other, { size }] of this.#waiting) if (other !== client) count += Math.min(size, own + 1);
    return count;
  }

  #refuseLongWait(client: string): void {
    const { maxRunning, maxWaitMs, minWaiting } = this.#options;
    const before = this.#before(client);
    const waitMs = (before * this.#averageMs) / maxRunning;
    if (before >= minWaiting && waitMs > maxWaitMs) throw new QueueFull(waitMs);
  }

  #turnOf(asker: Asker | undefined): Promise<void> {
    const { client, signal } = asker ?? { client: '' };
    const { maxWaitMs, giveUpMs } = this.#options;
    if (asker) this.#refuseLongWait(client);
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', goAway);
        end();
      };
      const waiting: Waiting = {
        start: () => settle(resolve),
        leave: (error) => {
          this.#remove(client, waiting);
          settle(() => reject(error));
        },
      };
      const goAway = () => waiting.leave(new AskerGone());
      const giveUp = () => waiting.leave(new QueueFull(maxWaitMs));
      const timer = asker && setTimeout(giveUp, giveUpMs);
      signal?.addEventListener('abort', goAway);
      this.#waiting.set(client, (this.#waiting.get(client) ?? new Set()).add(waiting));
    });
  }

  #remove(client: string, waiting: Waiting): void {
    const all = this.#waiting.get(client);
    all?.delete(waiting);
    if (all?.size === 0) this.#waiting.delete(client);
  }

  #startNext(): void {
    const [turn] = this.#waiting;
    if (!turn) {
      this.#running -= 1;
      return;
    }
    const [client, all] = turn;
    const [next] = all;
    this.#waiting.delete(client);
    if (all.size > 1) this.#waiting.set(client, all);
    if (next) {
      all.delete(next);
      next.start();
    }
  }
}
