import type { Asker } from '../lib/fair-queue.ts';
import { siteKey } from './client-address.ts';
import type { Call } from './route.ts';

/** The client of a call, for work that clients queue for: its turn is dropped when it goes away. */
export function askerOf({ request, reply }: Pick<Call, 'request' | 'reply'>): Asker {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { client: siteKey(request), signal: gone.signal };
}
