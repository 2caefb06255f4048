import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';

/** What is known about a request while it runs. */
export interface RequestTrace {
  id: string;
  method: string;
  /** The pattern of its route, because the address itself may contain a code or a token. */
  url: string;
  ip: string;
  /** Who made the request, once a guard has identified the caller. */
  user: TracedUser | undefined;
}

export interface TracedUser {
  userId: number;
  username: string;
}

export interface RequestTraces {
  /** The request during which this is called. */
  current(): RequestTrace | undefined;
  /** Follows every request of the server from now on. `userOf`: who made it, if a guard has identified the caller. */
  follow(server: FastifyInstance, userOf: (request: FastifyRequest) => Promise<TracedUser | undefined>): void;
}

/** Tells code at any depth which request it works for. */
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
      // A body is read in the context of its connection, so the context of the request is restored here.
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
