import { onStop, workerNumber } from './workers.ts';

/** What service managers, terminals and those that restart programs send. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/** `signal` is undefined where a worker was asked by its primary process. */
type Stop = (signal?: NodeJS.Signals) => void;

export interface StopRequests {
  /** Lets the first request from now on be answered by `stop`. */
  answerBy(stop: Stop): void;
}

/**
 * Hears from now on that this process shall stop. Until there is an answer nothing has begun, and the process just ends.
 *
 * Why     only the first request counts, for a Ctrl-C comes from the terminal and from npm, and to a worker from its
 *         primary process too: the further ones must not cut off what the first one lets finish.
 */
export function listenForStop(): StopRequests {
  let isAsked = false;
  let answer: Stop = () => process.exit(0);
  const ask: Stop = (signal) => {
    if (isAsked) return;
    isAsked = true;
    answer(signal);
  };
  for (const signal of SIGNALS) process.on(signal, () => ask(signal));
  if (workerNumber() !== undefined) onStop(() => ask());
  return {
    answerBy: (stop) => {
      answer = stop;
    },
  };
}
