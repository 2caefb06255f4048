import { onStop, workerNumber } from './workers.ts';

/** What service managers, terminals and programs that restart others send. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;

/** `signal` is undefined where a worker was asked by its primary process. */
type Stop = (signal?: NodeJS.Signals) => void;

export interface StopRequests {
  /** Lets the first request from now on be answered by `stop`. */
  answerBy(stop: Stop): void;
  /** Calls `note` for a hang-up that is no request to stop. */
  onHangUp(note: () => void): void;
}

/**
 * Listens for requests to stop. Until `answerBy` is called nothing has begun, and the process just ends.
 *
 * Only the first request counts. A Ctrl-C comes from the terminal and from npm, and to a worker from its primary process
 * too; the further ones must not cut off what the first one lets finish.
 *
 * A hang-up (SIGHUP) stops a process at a terminal, which has closed then. Elsewhere it asks a service to read its
 * settings again or to reopen its log, and there is nothing to do: a service must not end because of it.
 */
export function listenForStop(): StopRequests {
  let isAsked = false;
  let answer: Stop = () => process.exit(0);
  let noteHangUp: () => void = () => undefined;
  const isAtTerminal = process.stdout.isTTY || process.stderr.isTTY;
  const ask: Stop = (signal) => {
    if (isAsked) return;
    isAsked = true;
    answer(signal);
  };
  for (const signal of SIGNALS) process.on(signal, () => ask(signal));
  process.on('SIGHUP', () => (isAtTerminal ? ask('SIGHUP') : noteHangUp()));
  if (workerNumber() !== undefined) onStop(() => ask());
  return {
    answerBy: (stop) => {
      answer = stop;
    },
    onHangUp: (note) => {
      noteHangUp = note;
    },
  };
}
