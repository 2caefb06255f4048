import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Crowd } from '../lib/crowd.ts';
import { siteKey } from './client-address.ts';
import { Pipeline } from './pipeline.ts';
import type { Stopping } from './stopping.ts';

const MAX_CONNECTIONS = 10_000;
const ARRIVAL_MS = 300;
/** Of the ten seconds that a process has to stop; the rest is for the grace period and the database. Docker and others kill at ten. */
const FINISH_WITHIN_MS = 9200;

/**
 * What a connection may take: 10 s for a whole request, from its first byte or the connection's first moment on; 16 KiB
 * of headers; 75 s of rest between requests, longer than load balancers keep theirs (60 s); and 30 s without a byte in
 * either direction while a request is answered.
 *
 * @see Node.js http.createServer; ASVS 5.0 15.2.2
 */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
};
const IDLE_MS = 30_000;

/**
 * Ends the connections of a server that stops. From the first moment each reply closes its connection. When the listener
 * is closed, a connection that was accepted last may still send its request for a moment, and what is left then ends in
 * time for the process to close the database.
 */
export function closeConnectionsOnStop(server: FastifyInstance, { isStopping }: Stopping): void {
  const unused = new Set<Socket>();
  server.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.server.on('request', ({ socket }) => unused.delete(socket));
  server.addHook('preClose', (done) => {
    const ends = [
      setTimeout(() => {
        for (const socket of unused) socket.destroy();
      }, ARRIVAL_MS),
      setTimeout(() => server.server.closeAllConnections(), FINISH_WITHIN_MS),
    ];
    server.server.once('close', () => {
      for (const end of ends) clearTimeout(end);
    });
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done();
  });
}

/** Bounds the connections of a server. Beyond the bound, the client with the most of them loses one that is idle. */
function boundConnections(server: Server, pipeline: Pipeline): void {
  const open = new Crowd<Socket>(MAX_CONNECTIONS);
  server.on('connection', (socket) => {
    const client = siteKey({ ip: socket.remoteAddress ?? '', socket });
    open.add(client, socket);
    socket.once('close', () => open.remove(client, socket));
    const surplus = open.surplus((one) => one !== socket && !pipeline.isBusy(one));
    if (open.size > MAX_CONNECTIONS) (surplus ?? socket).destroy();
  });
}

/** Makes the HTTP server that Fastify answers for, with bounds on what each connection may take. */
export function createConnections() {
  const pipeline = new Pipeline();
  return {
    pipeline,
    serverFactory: (answer: RequestListener): Server => {
      const server = createServer(limits, pipeline.listener(answer));
      server.setTimeout(IDLE_MS);
      // An expectation that is not understood is ignored (RFC 9110 §10.1.1 allows it), not answered by Node itself.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      boundConnections(server, pipeline);
      return server;
    },
  };
}
