import type { Asker } from '../lib/fair-queue.ts';
import { siteKey } from './client-address.ts';
import type { Call } from './route.ts';

/** The client of a call, for queues. Its work is dropped from the queue when the client disconnects. */
export function askerOf({ request, reply }: Pick<Call, 'request' | 'reply'>): Asker {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { client: siteKey(request), signal: gone.signal };
}
