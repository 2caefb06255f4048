import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';

/** What is known about a request while it is processed. */
export interface RequestTrace {
  id: string;
  method: string;
  /** The path pattern of the route. The URL itself is not kept, because it may contain a code or a token. */
  url: string;
  ip: string;
  /** The caller of the request, once a guard has identified it. */
  user: TracedUser | undefined;
}

export interface TracedUser {
  userId: number;
  username: string;
}

export interface RequestTraces {
  /** Returns the request for which the current code runs. */
  current(): RequestTrace | undefined;
  /**
   * Follows every request of the server from now on.
   *
   * @param userOf returns the caller of a request if a guard has identified it
   */
  follow(server: FastifyInstance, userOf: (request: FastifyRequest) => Promise<TracedUser | undefined>): void;
}

/** Creates the traces with which any code, such as a database query, can find the request that it runs for. */
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
      // A body is read in the context of its connection, so the context of the request is restored afterwards.
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
