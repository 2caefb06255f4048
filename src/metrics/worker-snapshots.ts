import cluster, { type Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';

/** How long to wait for the workers. For a worker that answers too late, the metrics of its last answer are used. */
const ANSWER_WITHIN_MS = 30;

interface Question {
  authsvcMetrics: 'read';
}

interface Answer {
  authsvcMetrics: object[];
}

const question: Question = { authsvcMetrics: 'read' };

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' &&
  message !== null &&
  'authsvcMetrics' in message &&
  message.authsvcMetrics === question.authsvcMetrics;

const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' &&
  message !== null &&
  'authsvcMetrics' in message &&
  Array.isArray(message.authsvcMetrics);

/** Runs in a worker. Sends the worker's metrics to the primary process whenever it requests them. */
export function answerPrimary(snapshot: () => Promise<object[]>): void {
  process.on('message', async (message) => {
    if (!isQuestion(message)) return;
    const answer: Answer = { authsvcMetrics: await snapshot() };
    cluster.worker?.send(answer, () => undefined);
  });
}

const COUNTED = ['counter', 'histogram'];

/** Returns the counters and histograms of workers that have ended. They are kept so that no sum ever falls. */
async function remains(snapshots: readonly object[]): Promise<object[]> {
  const families = await AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
  return families.filter((family) => COUNTED.includes(String(family.type)));
}

/** Runs in the primary process. Collects the metrics of its workers. */
export class WorkerSnapshots {
  readonly #last = new Map<Worker, object[]>();
  readonly #answered = new Map<Worker, () => void>();
  #ended: object[] = [];

  constructor() {
    cluster.on('message', (worker, message: unknown) => {
      if (!isAnswer(message)) return;
      this.#last.set(worker, message.authsvcMetrics);
      this.#answered.get(worker)?.();
    });
    cluster.on('exit', (worker) => void this.#bury(worker));
  }

  async #bury(worker: Worker): Promise<void> {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    this.#answered.get(worker)?.();
    if (last) this.#ended = await remains([this.#ended, last]);
  }

  #ask(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      this.#answered.set(worker, resolve);
      if (worker.isConnected()) worker.send(question, () => undefined);
      else resolve();
    });
  }

  /** Reads the metrics of every worker, and adds the counts of workers that have ended. */
  async collect(): Promise<readonly object[]> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.race([Promise.all(workers.map((worker) => this.#ask(worker))), wait(ANSWER_WITHIN_MS)]);
    return [this.#ended, ...this.#last.values()];
  }
}
