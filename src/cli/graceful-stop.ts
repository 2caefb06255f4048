import closeWithGrace from 'close-with-grace';
import type { FastifyBaseLogger } from 'fastify';
import type { StopRequests } from './stop-requests.ts';

/** Requests to stop are heard elsewhere, and after the other signals no program goes on. */
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
  /** What the log says of a stop that was asked for. */
  words: string;
  withinMs: number;
  stop(): Promise<void>;
}

/**
 * Lets the process stop well and end with 0 when that is asked for; after an error that nobody caught, and when the stop
 * fails or takes too long, with 1. Gives what tells whether it is stopping.
 */
export function stopGracefully({ requests, log, words, withinMs, stop }: Parts): () => boolean {
  let isStopping = false;
  const grace = closeWithGrace(
    { delay: withinMs, logger: false, skip: [...SIGNALS, 'beforeExit'] },
    async ({ err }) => {
      isStopping = true;
      if (err) log.fatal({ err }, 'stopping after an error that nobody caught');
      await stop().catch((error: unknown) => {
        log.fatal({ err: error }, 'the stop was not clean');
        throw error;
      });
    },
  );
  requests.answerBy((signal) => {
    if (isStopping) return;
    log.info({ signal }, words);
    grace.close();
  });
  return () => isStopping;
}
