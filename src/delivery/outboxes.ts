import type { OutboxWorker } from './outbox-worker.ts';

/** Combines the outbox workers of a process. `wake` may be called before any worker is added. */
export class Outboxes {
  readonly #workers: OutboxWorker[] = [];

  add(...workers: (OutboxWorker | undefined)[]): void {
    this.#workers.push(...workers.filter((worker) => worker !== undefined));
  }

  start(): void {
    for (const worker of this.#workers) worker.start();
  }

  /** Makes all workers look for due messages now. */
  wake(): void {
    for (const worker of this.#workers) worker.wake();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }
}
