import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import findMyWay from 'find-my-way';
import { AppError } from '../errors/app-error.ts';
import { randomText } from '../lib/random.ts';
import { safeRedirect } from '../lib/safe-redirect.ts';
import { addRoute } from './add-route.ts';
import { createAnyMethod, routedUrl } from './any-method.ts';
import { prefersHtml } from './asks-for.ts';
import { boundUnfinishedBodies } from './bodies.ts';
import { bodyKinds, readBodies } from './body-kinds.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import { clientAddress } from './client-address.ts';
import { closeConnectionsOnStop, createConnections } from './connections.ts';
import { answerPreflight } from './cross-origin.ts';
import { refuseCrossSite } from './cross-site.ts';
import { watchDescriptors } from './descriptors.ts';
import { requireDevHost } from './dev-host.ts';
import { createErrorHandler } from './error-handler.ts';
import { requireHost } from './host-header.ts';
import { createOverloadGuard } from './overload.ts';
import { redirect } from './reply.ts';
import type { AnyRoute, Services } from './route.ts';
import { compileSchemasLate } from './schema-compilers.ts';
import { schemeOf } from './scheme.ts';
import { securityHeaders } from './security-headers.ts';
import { traceFields } from './trace-id.ts';
import { createIsTrusted, type IsTrusted } from './trusted-proxies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The path pattern of the request, set if the router has no route for the method. */
    addressPattern?: string;
  }
}

const BODY_LIMIT_BYTES = 64 * 1024;
const routerOptions = { ignoreTrailingSlash: true, maxParamLength: 4096 };

/** Creates the function that generates request ids. They are unique across all processes. */
function createRequestIds(): () => string {
  const prefix = randomText(6);
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

const routeOf = ({ addressPattern, routeOptions }: FastifyRequest): string =>
  addressPattern ?? routeOptions.url ?? 'unknown';

/**
 * Logs one line per request. The line has the path pattern of the route, so that the log contains no part of the
 * URL itself. Also counts the request for the metrics.
 */
function logRequests(server: FastifyInstance, { logRequest, meter }: Services): void {
  const left = new WeakSet<FastifyRequest>();
  server.addHook('onResponse', (request, reply, done) => {
    const { method, id } = request;
    const line = {
      request_id: id,
      method,
      route: routeOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      address: clientAddress(request),
      ...traceFields(request.headers),
    };
    logRequest(line);
    if (meter && !left.has(request)) meter.answered(line, reply.elapsedTime);
    done();
  });
  if (!meter) return;
  server.addHook('onRequestAbort', (request, done) => {
    left.add(request);
    meter.aborted({ method: request.method, route: routeOf(request) });
    done();
  });
}

interface HttpsParts {
  services: Services;
  isTrusted: IsTrusted;
}

/**
 * Handles a request that came over plain http, according to a trusted proxy. Redirects a page to https and refuses
 * any other request, so that no program keeps sending secrets unencrypted.
 */
function requireHttps(request: FastifyRequest, reply: FastifyReply, { services, isTrusted }: HttpsParts) {
  const protocols = request.headers['x-forwarded-proto']?.toString() || 'https';
  const isPlain = !protocols.split(',').some((hop) => schemeOf(hop) === 'https');
  if (!isPlain || !services.settings.IS_DEPLOYED || request.routeOptions.config.takesPlainHttp) return undefined;
  if (!isTrusted(request.socket.remoteAddress ?? '')) return undefined;
  if (!['GET', 'HEAD'].includes(request.method) || !prefersHtml(request)) throw new AppError('HTTPS_REQUIRED');
  return redirect(services.baseUrl() + safeRedirect(request.url, '/')).sendBy(reply);
}

/**
 * Answers unknown paths, unsupported methods, and OPTIONS. It runs before a body is read or a rate limit is
 * counted.
 *
 * It handles requests without a route, and also routes with parameters. For example, DELETE /tokens/:id matches
 * DELETE /tokens/stats, although /tokens/stats does not support DELETE.
 */
function answerOtherMethods(server: FastifyInstance, routes: readonly AnyRoute[], services: Services): void {
  const addresses = findMyWay(routerOptions);
  const methodsOf = new Map<unknown, { path: string; allow: string[]; readable: AnyRoute | undefined }>();
  const shapeOf = (path: string) => path.replace(/:\w+/g, ':');
  for (const [shape, { path }] of new Map(routes.map((route) => [shapeOf(route.path), route]))) {
    const here = routes.filter((route) => shapeOf(route.path) === shape);
    const own = here.map((route) => route.method);
    const readable = here.find((route) => route.readableBy);
    const handler = () => undefined;
    addresses.on('GET', path, handler);
    methodsOf.set(handler, { path, allow: [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'], readable });
  }
  server.addHook('onRequest', (request, reply, done) => {
    const isSure = !request.is404 && Object.keys(request.params ?? {}).length === 0;
    const found = isSure ? undefined : methodsOf.get(addresses.find('GET', request.url)?.handler);
    if (request.is404 && !found) throw new AppError('NOT_FOUND');
    if (!found || (!request.is404 && found.allow.includes(request.method))) return done();
    const { path, allow, readable } = found;
    request.addressPattern = path;
    if (request.method !== 'OPTIONS') throw new AppError('METHOD_NOT_ALLOWED', { allow });
    if (readable) answerPreflight(request, reply, { ...readable, services, allow: allow.join(', ') }).catch(done);
    else reply.code(204).header('allow', allow.join(', ')).send();
  });
}

/** Removes scheme and host from the target of a request. A client may send them (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/** Builds the HTTP server from the route table. The server does not listen yet. */
export function buildServer(routes: readonly AnyRoute[], services: Services): FastifyInstance {
  const { settings, log } = services;
  const answerError = createErrorHandler(services);
  const answerAnyMethod = createAnyMethod(routes, { services, answerError });
  const headers = { ...securityHeaders(settings), 'cache-control': 'no-store' };
  const nextId = createRequestIds();
  const guard = createOverloadGuard(log);
  const isTrusted = createIsTrusted(settings.TRUST_PROXY);
  const { serverFactory, pipeline, gate } = createConnections();
  const server = fastify({
    loggerInstance: log,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextId,
    requestIdHeader: false,
    // While the server closes, requests on an open connection are still answered as usual.
    return503OnClosing: false,
    trustProxy: settings.TRUST_PROXY === false ? false : isTrusted,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory,
    clientErrorHandler: answerBrokenRequests({ services, headers, nextId, pipeline }),
    routerOptions,
    rewriteUrl: ({ url = '/' }) => routedUrl(url.startsWith('/') ? url : originForm(url)),
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request, reply.headers(headers));
    },
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    requireHost(request.raw);
    if (answerAnyMethod(request, reply)) return;
    requireDevHost(request.headers.host, services);
    if (!request.routeOptions.config.takesCrossSite) refuseCrossSite(request, services);
    if (!requireHttps(request, reply, { services, isTrusted })) done();
  });
  const stopWatch = watchDescriptors(log);
  server.addHook('onClose', async () => {
    guard.stop();
    stopWatch();
  });
  compileSchemasLate(server);
  closeConnectionsOnStop(server, services.stopping, gate);
  boundUnfinishedBodies(server);
  logRequests(server, services);
  answerOtherMethods(server, routes, services);
  server.removeAllContentTypeParsers();
  server.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  server.setNotFoundHandler((request, reply) => answerError(new AppError('NOT_FOUND'), request, reply));
  for (const kind of bodyKinds) {
    server.register(async (scope) => {
      readBodies(scope, kind);
      for (const route of routes.filter(({ body }) => body.kind === kind)) {
        addRoute(scope, route, { services, guard, answerError });
      }
    });
  }
  return server;
}
