import { onStop, workerNumber } from './workers.ts';

/** The signals of service managers, terminals and programs that restart others. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;

/** `signal` is undefined if the primary process asked a worker. */
type Stop = (signal?: NodeJS.Signals) => void;

export interface StopRequests {
  /** Calls `stop` for the first request from now on. */
  answerBy(stop: Stop): void;
  /** Calls `note` for a hang-up that is not a request to stop. */
  onHangUp(note: () => void): void;
}

/**
 * Listens for requests to stop. Until `answerBy` is called there is nothing to stop, and the process exits.
 *
 * Only the first request counts. A Ctrl-C arrives from the terminal and from npm, and in a worker also from its primary
 * process. The further ones must not interrupt the stop.
 *
 * A hang-up (SIGHUP) means at a terminal that it has closed, so the process stops. Elsewhere it asks a service to
 * reload its settings or to reopen its log, which this service does not need, so it keeps running.
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
