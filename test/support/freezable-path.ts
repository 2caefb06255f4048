import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Owner } from './serve.ts';

export interface FreezablePath {
  /** The target's URL with the address of this proxy. */
  url: string;
  /** Stops all traffic without closing connections, as in a network that drops every packet. */
  freeze(): void;
  /** Closes the frozen connections and accepts new ones. */
  thaw(): void;
  /** Closes every connection, so that both ends notice. */
  cut(): void;
}

/** Starts a TCP proxy to a server whose connections a test can freeze or cut. */
export async function freezablePath(t: Owner, target: string): Promise<FreezablePath> {
  const far = new URL(target);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => !isFrozen && to.write(bytes));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      if (!isFrozen) to.destroy();
    });
  };
  const server = createServer((near) => {
    const onward = connect(Number(far.port), far.hostname);
    pass(near, onward);
    pass(onward, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.onTestFinished(async () => {
    cut();
    server.close();
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address ? address.port : 0);
  const setFrozen = (frozen: boolean) => {
    isFrozen = frozen;
  };
  return {
    url: url.href,
    freeze: () => setFrozen(true),
    thaw: () => {
      setFrozen(false);
      cut();
    },
    cut,
  };
}
