import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Crowd } from '../lib/crowd.ts';
import { siteKey } from './client-address.ts';

/** Maximum number of bodies that have only partly arrived. Each takes up to 64 KiB of memory. */
const MAX_UNFINISHED = 1000;

/**
 * Limits the number of bodies that have only partly arrived. Beyond the limit, the server closes the oldest
 * connection with such a body, of the client that has the most of them. connections.ts limits how long a body may take.
 *
 * @see ASVS 5.0 15.2.2
 */
export function boundUnfinishedBodies(server: FastifyInstance, max = MAX_UNFINISHED): void {
  const unfinished = new Crowd<FastifyRequest['raw']>(max);
  const follow = (request: FastifyRequest) => {
    const { raw } = request;
    if (raw.complete || raw.destroyed) return;
    const client = siteKey(request);
    unfinished.add(client, raw);
    raw.once('close', () => unfinished.remove(client, raw));
    unfinished.surplus()?.destroy();
  };
  server.addHook('preParsing', (request, _reply, _payload, done) => {
    // A body that arrived together with its headers is complete after this tick.
    if (request.method !== 'GET' && request.method !== 'HEAD') process.nextTick(follow, request);
    done();
  });
}
