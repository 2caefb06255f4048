import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { steadyClock } from '../lib/clock.ts';
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
/** So long without a new connection, and none waits in the kernel; but clients are not kept waiting longer than the second. */
const QUIET_MS = 20;
const HOLD_MS = 300;

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

/** Holds requests back while it is closed. */
class Gate {
  #held: (() => void)[] | undefined;

  listener(answer: RequestListener): RequestListener {
    return (request, response) => {
      if (this.#held) this.#held.push(() => answer(request, response));
      else answer(request, response);
    };
  }

  close(): void {
    this.#held ??= [];
  }

  open(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const answer of held) answer();
  }
}

/** Waits until the connections are accepted that wait in the kernel, of which Node.js accepts one at each turn of its event loop. */
async function acceptWaiting(server: Server): Promise<void> {
  const from = steadyClock.now();
  let latest = from;
  const note = () => {
    latest = steadyClock.now();
  };
  server.on('connection', note);
  for (let now = from; now - latest < QUIET_MS && now - from < HOLD_MS; now = steadyClock.now())
    await sleep(QUIET_MS / 4);
  server.off('connection', note);
}

/**
 * Ends the connections of a server that stops. From the start of the stop, each reply closes its connection. After the
 * listener is closed, the latest connections still have a moment to send their request. All others are then closed in
 * time for the process to close the database.
 *
 * The kernel resets the connections that wait when the listener is closed. So they are accepted first, and requests wait
 * meanwhile: a client that has its answer would come again at once.
 */
export function closeConnectionsOnStop(server: FastifyInstance, { isStopping }: Stopping, gate: Gate): void {
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
    if (!isStopping()) return done();
    const openGate = () => {
      if (server.server.listening) setImmediate(openGate);
      else gate.open();
    };
    gate.close();
    void acceptWaiting(server.server).then(() => {
      openGate();
      done();
    });
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
  const gate = new Gate();
  return {
    pipeline,
    gate,
    serverFactory: (answer: RequestListener): Server => {
      const server = createServer(limits, pipeline.listener(gate.listener(answer)));
      server.setTimeout(IDLE_MS);
      // Ignores an unknown expectation (RFC 9110 §10.1.1 allows it), which Node would answer itself.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      boundConnections(server, pipeline, maxConnections);
      return server;
    },
  };
}
