import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';

const LOOK_EVERY_MS = 1000;
const NONE_LEFT = ['EMFILE', 'ENFILE'];

function isOneLeft(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && NONE_LEFT.includes(String(error.code)));
  }
}

/**
 * Logs once when the process has no file descriptors left, and once when some are free again. In between, Node.js
 * closes new connections without an error or an event.
 *
 * @returns a function that stops the watch
 */
export function watchDescriptors(log: FastifyBaseLogger): () => void {
  let wasOneLeft = true;
  const timer = setInterval(() => {
    const isNowLeft = isOneLeft();
    if (wasOneLeft && !isNowLeft)
      log.error(
        'no file descriptors are left, so new connections are closed without an answer; raise the limit (ulimit -n, LimitNOFILE of systemd)',
      );
    if (!wasOneLeft && isNowLeft) log.info('file descriptors are free again');
    wasOneLeft = isNowLeft;
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
