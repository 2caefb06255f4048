import closeWithGrace from 'close-with-grace';
import type { FastifyBaseLogger } from 'fastify';
import type { StopRequests } from './stop-requests.ts';

/** Requests to stop are handled elsewhere, and no program survives the other signals. */
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

interface Parts {
  requests: StopRequests;
  log: FastifyBaseLogger;
  /** The log message of a requested stop. */
  words: string;
  withinMs: number;
  stop(): Promise<void>;
}

/**
 * Lets the process stop gracefully. It ends with 0 if it was asked to stop, and with 1 after an uncaught error or if the
 * stop fails or takes too long.
 *
 * @returns a function that says whether the process is stopping
 */
export function stopGracefully({ requests, log, words, withinMs, stop }: Parts): () => boolean {
  let isStopping = false;
  const grace = closeWithGrace(
    { delay: withinMs, logger: false, skip: [...SIGNALS, 'beforeExit'] },
    async ({ err }) => {
      isStopping = true;
      if (err) log.fatal({ err }, 'stopping after an uncaught error');
      await stop().catch((error: unknown) => {
        log.fatal({ err: error }, 'the stop failed');
        throw error;
      });
    },
  );
  requests.answerBy((signal) => {
    if (isStopping) return;
    log.info({ signal }, words);
    grace.close();
  });
  requests.onHangUp(() => log.info({ signal: 'SIGHUP' }, 'nothing to do: settings are read at the start'));
  return () => isStopping;
}
