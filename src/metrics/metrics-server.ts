import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CommandFailure } from '../command/command-failure.ts';
import { createConnections } from '../http/connections.ts';
import { SharedWork } from '../lib/shared-work.ts';
import { contentTypeFor, expose } from './exposition.ts';

/**
 * Maximum number of open connections. It is enough for several Prometheus servers. The limit is needed because a client
 * may leave a whole answer unread on each connection.
 */
const MAX_CONNECTIONS = 100;

interface ServerParts {
  host: string;
  port: number;
  /** Reads the metrics of each process that serves requests. */
  collect(): Promise<readonly object[]>;
  log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
}

/** The HTTP server of /metrics. */
export interface MetricsServer {
  close(): Promise<void>;
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is in use by another program',
  EACCES: 'this user may not listen on that port',
  EADDRNOTAVAIL: 'that is no address of this machine',
  ENOTFOUND: 'that is no address of this machine',
};

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

function listenFailure(error: unknown, { host, port }: ServerParts): CommandFailure {
  const reason = reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
  return new CommandFailure(`Nothing can listen at METRICS_HOST ${host} and METRICS_PORT ${port}: ${reason}.`);
}

function answer(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

type ContentType = ReturnType<typeof contentTypeFor>;

/**
 * Creates the function that reads the metrics as text. Concurrent requests share one text, because writing it
 * blocks the process for milliseconds.
 */
function createReader(collect: ServerParts['collect']): (type: ContentType) => Promise<string> {
  const reading = new SharedWork<ContentType, string>();
  return (type) => reading.run(type, async () => expose(await collect(), type));
}

interface Serving {
  read: ReturnType<typeof createReader>;
  log: ServerParts['log'];
}

async function serve({ read, log }: Serving, request: IncomingMessage, response: ServerResponse) {
  const { method = '', url = '', headers } = request;
  const [path] = url.split('?', 1);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && path === '/healthz') return answer(response, 200, 'application/json', '{"status":"ok"}');
  if (!isRead || path !== '/metrics') return answer(response, 404, 'text/plain', 'There is only /metrics here.\n');
  try {
    const type = contentTypeFor(headers.accept);
    return answer(response, 200, type, await read(type));
  } catch (error) {
    log.warn({ err: error }, 'failed to read the metrics');
    return answer(response, 500, 'text/plain', 'The metrics could not be read.\n');
  }
}

/**
 * Serves /metrics and /healthz, and nothing else.
 *
 * @throws CommandFailure if the server cannot listen at the host and port
 */
export async function startMetricsServer(parts: ServerParts): Promise<MetricsServer> {
  const serving = { read: createReader(parts.collect), log: parts.log };
  const { serverFactory } = createConnections(MAX_CONNECTIONS);
  const server = serverFactory((request, response) => void serve(serving, request, response));
  server.listen(parts.port, parts.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenFailure(error, parts);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : parts.port;
  parts.log.info(
    {},
    `metrics are at http://${parts.host.includes(':') ? `[${parts.host}]` : parts.host}:${port}/metrics`,
  );
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
