import type { Asker } from '../lib/fair-queue.ts';
import { siteKey } from './client-address.ts';
import type { Call } from './route.ts';

/** Returns the client of a call, for a queue. When the client disconnects, the queue drops its work. */
export function askerOf({ request, reply }: Pick<Call, 'request' | 'reply'>): Asker {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { client: siteKey(request), signal: gone.signal };
}
