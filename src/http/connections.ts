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
 * Time after which all connections are closed. Docker and others kill a process ten seconds after asking it to
 * stop; the rest of that time is for the grace period and the database.
 */
const FINISH_WITHIN_MS = 9200;
/**
 * If no connection arrives for this long, none is waiting in the kernel any more. The wait ends after HOLD_MS at
 * the latest, because requests are held back meanwhile.
 */
const QUIET_MS = 20;
const HOLD_MS = 300;

/**
 * The limits of a connection:
 * - 10 s for a whole request, from its first byte or from the start of the connection
 * - 16 KiB of headers
 * - 75 s between requests, because load balancers keep idle connections for 60 s
 * - 30 s without a byte in either direction while a request is answered (`IDLE_MS`)
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

/** While the gate is closed, it holds requests back. It answers them when it opens. */
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

/**
 * Waits until all connections that wait in the kernel are accepted. Node.js accepts only one of them per turn of
 * the event loop.
 */
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
 * listener is closed, new connections have a short time left to send their request. All remaining connections are
 * closed early enough for the process to close the database.
 *
 * When the listener is closed, the kernel resets connections that were not accepted yet. So these connections are
 * accepted first. Requests are held back during that time, because a client that gets its answer would connect again at
 * once.
 */
export function closeConnectionsOnStop(server: FastifyInstance, { isStopping }: Stopping, gate: Gate): void {
  const unused = new Set<Socket>();
  server.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.server.on('request', ({ socket }) => unused.delete(socket));
  server.addHook('preClose', (done) => {
    // A server that never listened emits no `close`, so the timers would delay the exit after a failed start.
    if (!server.server.listening) return done();
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

/**
 * Limits the number of connections of a server. Beyond the limit, the client with the most connections loses an
 * idle one.
 */
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

/**
 * Creates HTTP servers that limit each connection.
 *
 * @param maxConnections maximum number of open connections
 */
export function createConnections(maxConnections = MAX_CONNECTIONS) {
  const pipeline = new Pipeline();
  const gate = new Gate();
  return {
    pipeline,
    gate,
    serverFactory: (answer: RequestListener): Server => {
      const server = createServer(limits, pipeline.listener(gate.listener(answer)));
      server.setTimeout(IDLE_MS);
      // Ignores an unknown `Expect` header, as RFC 9110 §10.1.1 allows. Node.js would otherwise answer with an
      // error.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      boundConnections(server, pipeline, maxConnections);
      return server;
    },
  };
}
