import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { errorBody } from './error-handler.ts';
import type { Services } from './route.ts';

const MAX_CONNECTIONS = 10_000;
/** How long a client that got its refusal may take to read it. */
const LINGER_MS = 1000;
const ARRIVAL_MS = 300;
/** Of the ten seconds that a process has to stop; the rest is for the database. Docker and others kill at ten. */
const FINISH_WITHIN_MS = 9500;

/**
 * What a connection may take: 10 s for the head of a request and 30 s for all of it, from the connection's first
 * moment on; 16 KiB of head; a rest of 75 s between requests, longer than load balancers keep theirs (60 s); and 120 s
 * without a byte in either direction.
 *
 * Source  Node.js http.createServer; ASVS 5.0 15.2.2
 */
export const connectionLimits = {
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  connectionTimeout: 120_000,
  http: {
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2000,
    maxHeaderSize: 16 * 1024,
    requireHostHeader: false,
  },
} as const;

/** What Node's parser gives up on, by the code of its error; anything else is no HTTP. */
const parserErrors: Record<string, ErrorName> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TOO_SLOW',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
};

interface Refusal {
  headers: Record<string, string>;
  requestId: string;
  now: number;
}

function refusalText(name: ErrorName, { headers, requestId, now }: Refusal): string {
  const { status } = errorRegistry[name];
  const body = JSON.stringify(errorBody(name, requestId));
  const all = {
    ...headers,
    date: new Date(now).toUTCString(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Makes what answers a connection on which no request could be read: with the same headers, body and log line as any
 * other refusal. The connection is closed.
 */
export function answerBrokenRequests({ log, clock }: Services, headers: Record<string, string>, nextId: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const name = parserErrors[error.code ?? ''] ?? 'REQUEST_MALFORMED';
    const requestId = nextId();
    const { status } = errorRegistry[name];
    const facts = {
      request_id: requestId,
      route: 'unknown',
      status,
      reason: error.code,
      address: socket.remoteAddress,
    };
    log.info(facts, 'request');
    socket.end(refusalText(name, { headers, requestId, now: clock.now() }));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/**
 * Ends the connections of a server that stops: those in use with their answer; those on which no request has begun
 * after a moment, in which one that was on its way may arrive; and all that is left in time for the process to close
 * the database and end well.
 */
function closeConnectionsOnStop(server: FastifyInstance): void {
  const unused = new Set<Socket>();
  let isStopping = false;
  server.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.server.on('request', ({ socket }) => unused.delete(socket));
  server.addHook('preClose', (done) => {
    isStopping = true;
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
    if (isStopping) reply.header('connection', 'close');
    done();
  });
}

/** Bounds the connections of a server, and ends them when it stops. */
export function guardConnections(server: FastifyInstance): void {
  server.server.maxConnections = MAX_CONNECTIONS;
  // An expectation that is not understood is passed over (RFC 9110 §10.1.1 allows it), not answered by Node itself.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  closeConnectionsOnStop(server);
}
