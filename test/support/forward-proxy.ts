import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Owner } from './serve.ts';

/** A forward proxy, as companies run them. It connects to the host in a CONNECT request. */
export interface ForwardProxy {
  url: string;
  /** The hosts of the CONNECT requests, as `HOST:PORT`, oldest first. */
  seen: string[];
  /** The Proxy-Authorization header of each CONNECT request. */
  credentials: (string | undefined)[];
  /** The status with which the proxy refuses to connect; undefined if it connects. */
  refuses?: number | undefined;
}

/** Starts a proxy on a free port of 127.0.0.1. It runs until the owner ends. */
export async function startForwardProxy(owner: Owner): Promise<ForwardProxy> {
  const sockets = new Set<Socket>();
  const proxy: ForwardProxy = { url: '', seen: [], credentials: [] };
  const server = createServer((_request, reply) => reply.writeHead(501).end());
  server.on('connect', (request, client: Socket, head: Buffer) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    proxy.seen.push(request.url ?? '');
    proxy.credentials.push(request.headers['proxy-authorization']);
    if (proxy.refuses) return void client.end(`HTTP/1.1 ${proxy.refuses} Refused\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    sockets.add(target);
    target.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  owner.onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  proxy.url = `http://127.0.0.1:${address.port}`;
  return proxy;
}
