import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Crowd } from '../lib/crowd.ts';
import { siteKey } from './client-address.ts';

/** The maximum number of bodies that have arrived only in part. Each takes up to 64 KiB of memory. */
const MAX_UNFINISHED = 1000;

/**
 * Limits the number of bodies that have arrived only in part. Beyond the limit, the client with the most of them loses
 * the connection of its oldest one. `connectionLimits` limits the time of each.
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
    // A body that came with its headers is complete after this tick.
    if (request.method !== 'GET' && request.method !== 'HEAD') process.nextTick(follow, request);
    done();
  });
}
