import type { OutboxWorker } from './outbox-worker.ts';

/** The outbox workers of a process, as one. They can be woken before any exists. */
export class Outboxes {
  readonly #workers: OutboxWorker[] = [];

  add(...workers: (OutboxWorker | undefined)[]): void {
    this.#workers.push(...workers.filter((worker) => worker !== undefined));
  }

  start(): void {
    for (const worker of this.#workers) worker.start();
  }

  /** Looks for due messages now. */
  wake(): void {
    for (const worker of this.#workers) worker.wake();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }
}
