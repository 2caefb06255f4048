import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/** The application's reply at one of its own paths. */
export interface OwnPage {
  type: string;
  body: string;
}

export interface Host {
  url: string;
  close(): Promise<void>;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const onward = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Starts a host as operators run it: some paths belong to an application, and all other requests go to the service. */
export async function startHost(port: () => number, pages: Readonly<Record<string, OwnPage>>): Promise<Host> {
  const server = createServer((incoming, outgoing) => {
    const own = pages[new URL(incoming.url ?? '/', 'http://host').pathname];
    if (own) outgoing.writeHead(200, { 'content-type': own.type, 'cache-control': 'no-store' }).end(own.body);
    else forward(incoming, outgoing, port());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the host has no port');
  return { url: `http://localhost:${address.port}`, close: () => stop(server) };
}
