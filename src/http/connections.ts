import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Crowd } from '../lib/crowd.ts';
import { siteKey } from './client-address.ts';
import { Pipeline } from './pipeline.ts';
import type { Stopping } from './stopping.ts';

const MAX_CONNECTIONS = 10_000;
const ARRIVAL_MS = 300;
/**
 * Part of the ten seconds after which Docker and others kill a process. The rest is for the grace period and the
 * database.
 */
const FINISH_WITHIN_MS = 9200;

/**
 * The limits of a connection: 10 s for a whole request, from its first byte or the start of the connection; 16 KiB of
 * headers; 75 s between requests, longer than load balancers wait (60 s); and 30 s without a byte in either direction
 * while a request is answered.
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
 * Ends the connections of a server that stops. From the start of the stop, each reply closes its connection. After the
 * listener is closed, the latest connections still have a moment to send their request. All others are then closed in
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

/** Limits the connections of a server. Beyond the limit, the client with the most of them loses an idle one. */
function boundConnections(server: Server, pipeline: Pipeline, maxConnections: number): void {
  const open = new Crowd<Socket>(maxConnections);
  server.on('connection', (socket) => {
    const client = siteKey({ ip: socket.remoteAddress ?? '', socket });
    open.add(client, socket);
    socket.once('close', () => open.remove(client, socket));
    const surplus = open.surplus((one) => one !== socket && !pipeline.isBusy(one));
    if (open.size > maxConnections) (surplus ?? socket).destroy();
  });
}

/** Creates HTTP servers, with limits for each connection. */
export function createConnections(maxConnections = MAX_CONNECTIONS) {
  const pipeline = new Pipeline();
  return {
    pipeline,
    serverFactory: (answer: RequestListener): Server => {
      const server = createServer(limits, pipeline.listener(answer));
      server.setTimeout(IDLE_MS);
      // Ignores an unknown expectation (RFC 9110 §10.1.1 allows it), which Node would answer itself.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      boundConnections(server, pipeline, maxConnections);
      return server;
    },
  };
}
