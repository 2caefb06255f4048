import { onStop, workerNumber } from './workers.ts';

/** Signals with which service managers, terminals and tools that restart programs stop a process. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;

/** Called to stop. `signal` is undefined if the primary process told a worker to stop. */
type Stop = (signal?: NodeJS.Signals) => void;

export interface StopRequests {
  /** Sets the function that handles the first request to stop. */
  answerBy(stop: Stop): void;
  /** Sets the function that handles a hang-up (SIGHUP) without a terminal, which is no request to stop. */
  onHangUp(note: () => void): void;
}

/**
 * Listens for requests to stop. Before `answerBy` is called there is nothing to stop, so a request ends the process.
 *
 * Only the first request counts. One Ctrl-C can arrive several times: from the terminal, from npm and, in a worker, from the
 * primary process. The repeated requests must not interrupt the stop.
 *
 * At a terminal, a hang-up (SIGHUP) means that the terminal was closed, so the process stops. Without a terminal, it asks
 * a service to reload its settings or to reopen its log. This service has no need for either, so it keeps running.
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
