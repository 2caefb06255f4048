import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';

/** What is known of a request while it is on its way. */
export interface RequestTrace {
  id: string;
  method: string;
  /** The pattern of its route: the address itself may hold a code or a token. */
  url: string;
  ip: string;
  /** Who made it, once that was looked up. */
  user: TracedUser | undefined;
}

export interface TracedUser {
  userId: number;
  username: string;
}

export interface RequestTraces {
  /** The request in whose course this is called. */
  current(): RequestTrace | undefined;
  /** Follows every request of the server from now on. `userOf`: who made it, as far as somebody has asked. */
  follow(server: FastifyInstance, userOf: (request: FastifyRequest) => Promise<TracedUser | undefined>): void;
}

/** Makes it known to code far below which request it works for. */
export function createRequestTraces(): RequestTraces {
  const storage = new AsyncLocalStorage<RequestTrace>();
  const traces = new WeakMap<FastifyRequest, RequestTrace>();
  return {
    current: () => storage.getStore(),
    follow: (server, userOf) => {
      server.addHook('onRequest', (request, _reply, done) => {
        const { id, method } = request;
        const trace = {
          id,
          method,
          ip: clientAddress(request),
          url: request.routeOptions.url ?? 'unknown',
          user: undefined,
        };
        traces.set(request, trace);
        storage.run(trace, done);
      });
      // A body is read in the course of its connection, not of the request: here the request is taken up again.
      server.addHook('preValidation', (request, _reply, done) => {
        const trace = traces.get(request);
        if (trace) storage.run(trace, done);
        else done();
      });
      server.addHook('onSend', async (request) => {
        const trace = traces.get(request);
        if (trace) trace.user = await userOf(request).catch(() => undefined);
      });
    },
  };
}
