import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** The context of a test, or a hook that several tests share. When it ends, it stops the server. */
export interface Owner {
  onTestFinished(stop: () => Promise<void>): void;
}

/** Starts a server on a free port of 127.0.0.1. It runs until the owner ends. Returns its URL without a final slash. */
export async function serve(owner: Owner, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  owner.onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return `http://127.0.0.1:${address.port}`;
}
