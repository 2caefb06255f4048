import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure } from '../command/command-failure.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';

/** Message to a worker: finish your requests and exit. */
const STOP = 'authsvc stop';
/** Message from a worker: the start is complete. */
const READY = 'authsvc ready';
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10 * SECOND_MS;
/** If a worker lives longer than this, its exit does not count as a failed start. */
const SETTLED_MS = 10 * SECOND_MS;

interface Log {
  info(facts: object, text: string): void;
  error(facts: object, text: string): void;
}

interface CrewParts {
  count: number;
  port: number;
  /** Returns the command-line arguments of a worker that serves this port. */
  argsFor(port: number): string[];
  log: Log;
  steady: Clock;
}

/** Runs the worker processes. The primary process owns the port and replaces workers that die. */
export class WorkerPool {
  readonly #parts: CrewParts;
  #port: number;
  #pause = FIRST_PAUSE_MS;
  #hasServed = false;
  #isStopping = false;

  constructor(parts: CrewParts) {
    this.#parts = parts;
    this.#port = parts.port;
  }

  /** Starts the workers. Resolves when the first one is ready. Throws if one exits before that. */
  async start(): Promise<void> {
    cluster.on('listening', (_worker, { port }) => {
      this.#port = port;
    });
    const ready = new Promise<void>((resolve, reject) => {
      cluster.on('message', (_worker, message) => {
        if (message !== READY) return;
        this.#hasServed = true;
        resolve();
      });
      cluster.on('exit', () => {
        if (!this.#hasServed && !this.#isStopping) reject(new CommandFailure('The workers could not start.'));
      });
    });
    for (let i = 0; i < this.#parts.count; i += 1) this.#fork();
    await ready.catch(async (error: unknown) => {
      await this.stop();
      throw error;
    });
  }

  /** Tells all workers to finish their requests. Resolves when all have exited. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(
      workers.map(async (worker) => {
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        if (worker.isConnected()) worker.send(STOP, () => undefined);
        if (!worker.isDead()) await ended;
      }),
    );
  }

  #fork(): void {
    const { argsFor, steady } = this.#parts;
    cluster.setupPrimary({ args: argsFor(this.#port) });
    const from = steady.now();
    const worker = cluster.fork();
    worker.once('exit', (code, signal) => void this.#replace(worker, { code, signal, lived: steady.now() - from }));
  }

  async #replace(worker: Worker, { lived, ...ending }: { code: number; signal: string; lived: number }): Promise<void> {
    if (this.#isStopping || !this.#hasServed) return;
    this.#pause = lived > SETTLED_MS ? FIRST_PAUSE_MS : Math.min(2 * this.#pause, MAX_PAUSE_MS);
    const facts = { worker: worker.id, worker_pid: worker.process.pid, ...ending, retry_ms: this.#pause };
    this.#parts.log.error(facts, 'a worker has ended and is replaced');
    await sleep(this.#pause);
    if (!this.#isStopping) this.#fork();
  }
}

/** In a worker: calls `stop` when the primary process tells it to stop. */
export function onStop(stop: () => void): void {
  process.on('message', (message) => {
    if (message === STOP) stop();
  });
}

/** In a worker: tells the primary process that the start is complete. */
export const signalReady = (): void => void cluster.worker?.send(READY, () => undefined);

/** Returns the number of this worker, or undefined in the primary process and without workers. */
export const workerNumber = (): number | undefined => cluster.worker?.id;
