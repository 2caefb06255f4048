import cluster, { type Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';

/** A worker that is busy is shown as it was last. */
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

/** In a worker: answers the primary process, which asks for the metrics. */
export function answerPrimary(snapshot: () => Promise<object[]>): void {
  process.on('message', async (message) => {
    if (!isQuestion(message)) return;
    const answer: Answer = { authsvcMetrics: await snapshot() };
    cluster.worker?.send(answer, () => undefined);
  });
}

const COUNTED = ['counter', 'histogram'];

/** What stays of a worker that has ended: its counts, so that no sum ever falls. */
async function remains(snapshots: readonly object[]): Promise<object[]> {
  const families = await AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
  return families.filter((family) => COUNTED.includes(String(family.type)));
}

/** In the primary process: the metrics of its workers. */
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

  /** Reads the metrics of every worker, and what those that ended have counted. */
  async collect(): Promise<readonly object[]> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.race([Promise.all(workers.map((worker) => this.#ask(worker))), wait(ANSWER_WITHIN_MS)]);
    return [this.#ended, ...this.#last.values()];
  }
}
