import closeWithGrace from 'close-with-grace';
import type { FastifyBaseLogger } from 'fastify';
import type { StopRequests } from './stop-requests.ts';

/**
 * Signals that the library must not handle. `StopRequests` handles the requests to stop; all others must end the
 * process.
 */
const SIGNALS = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR2',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
] as const;

/** Stands for the reason of a promise that was rejected without one. */
const NO_REASON = new Error('a promise was rejected without a reason');

interface Parts {
  requests: StopRequests;
  log: FastifyBaseLogger;
  /** The message that is logged when a stop is requested. */
  words: string;
  withinMs: number;
  stop(): Promise<void>;
}

/**
 * Makes the process stop gracefully. The exit code is 0 after a request to stop. It is 1 after an uncaught error, or if the
 * stop fails or takes too long.
 *
 * @returns a function that returns whether the process is stopping
 */
export function stopGracefully({ requests, log, words, withinMs, stop }: Parts): () => boolean {
  let isStopping = false;
  const grace = closeWithGrace(
    { delay: withinMs, logger: false, skip: [...SIGNALS, 'beforeExit'] },
    async ({ err, manual }) => {
      isStopping = true;
      if (!manual) log.fatal({ err: err ?? NO_REASON }, 'stopping after an uncaught error');
      await stop().catch((error: unknown) => {
        log.fatal({ err: error }, 'failed to stop');
        throw error;
      });
      // Without an error, the library would exit with 0.
      if (!manual && !err) throw NO_REASON;
    },
  );
  requests.answerBy((signal) => {
    if (isStopping) return;
    log.info({ signal }, words);
    grace.close();
  });
  requests.onHangUp(() => log.info({ signal: 'SIGHUP' }, 'ignored the signal: settings are read only at the start'));
  return () => isStopping;
}
