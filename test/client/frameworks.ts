// A small application for each framework. On every path it replies with the name of the visitor.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { serve as serveHono } from '@hono/node-server';
import type { Auth, Visitor } from 'authsvc-client';
import { protect as protectExpress } from 'authsvc-client/express';
import { protect as protectFastify } from 'authsvc-client/fastify';
import { protect as protectHono } from 'authsvc-client/hono';
import { protect as protectNext } from 'authsvc-client/next';
import { type ProtectOptions, protect as protectNode } from 'authsvc-client/node';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import type { Owner } from '../support/serve.ts';

/** Starts an application and returns its port. */
type StartApplication = (t: Owner, auth: Auth, options?: ProtectOptions) => Promise<number>;

const greet = (visitor: Visitor | null | undefined) => ({ username: visitor?.username ?? null });

async function portOf(t: Owner, server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening');
  t.onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

const onExpress: StartApplication = async (t, auth, options) => {
  const app = express();
  app.use(protectExpress(auth, options));
  app.use((request, response) => void response.json(greet(request.visitor)));
  return portOf(t, app.listen(0, '127.0.0.1'));
};

const onFastify: StartApplication = async (t, auth, options) => {
  const app = fastify();
  app.addHook('onRequest', protectFastify(auth, options));
  app.all('/*', async (request) => greet(request.visitor));
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.onTestFinished(() => app.close());
  return portOf(t, app.server);
};

const onHono: StartApplication = async (t, auth, options) => {
  const app = new Hono();
  app.use(protectHono(auth, options));
  app.all('/*', (context) => context.json(greet(context.var.visitor)));
  const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  if (!('closeAllConnections' in server)) throw new Error('not a server of HTTP/1.1');
  return portOf(t, server);
};

const onNode: StartApplication = async (t, auth, options) => {
  const pass = protectNode(auth, options);
  const server = createServer(async (request, response) => {
    const visitor = await pass(request, response);
    if (visitor !== undefined) response.end(JSON.stringify(greet(visitor)));
  });
  return portOf(t, server.listen(0, '127.0.0.1'));
};

/**
 * Next.js itself is not installed. Its middleware and route handlers get requests of the Fetch Standard, so the test
 * calls them directly. Like Next.js, the test puts the address on which the server listens into the URL of the request,
 * not the host of the `Host` header.
 */
const onNext: StartApplication = async (t, auth, options) => {
  const middleware = protectNext(auth, options);
  const fetch = async ({ method, headers, url }: Request) => {
    const request = new Request(url.replace(/^http:\/\/[^/]*/, 'http://localhost:3000'), { method, headers });
    return (await middleware(request)) ?? Response.json(greet(await auth.visitor(headers, options)));
  };
  const server = serveHono({ fetch, port: 0, hostname: '127.0.0.1' });
  if (!('closeAllConnections' in server)) throw new Error('not a server of HTTP/1.1');
  return portOf(t, server);
};

export const frameworks: [string, StartApplication][] = [
  ['express', onExpress],
  ['fastify', onFastify],
  ['hono', onHono],
  ['node', onNode],
  ['next', onNext],
];
