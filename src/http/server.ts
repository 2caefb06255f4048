import { isUtf8 } from 'node:buffer';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import findMyWay from 'find-my-way';
import { AppError } from '../errors/app-error.ts';
import { randomText } from '../lib/random.ts';
import { safeRedirect } from '../lib/safe-redirect.ts';
import { boundUnfinishedBodies } from './bodies.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import { clientAddress, limitKeys } from './client-address.ts';
import { closeConnectionsOnStop, createConnections } from './connections.ts';
import { refuseCrossSite } from './cross-site.ts';
import { requireDevHost } from './dev-host.ts';
import { createErrorHandler } from './error-handler.ts';
import { requireHost } from './host-header.ts';
import { createOverloadGuard, type OverloadGuard, overloadHooks } from './overload.ts';
import { prefersHtml, redirectTo } from './page.ts';
import type { AnyRoute, Call, Guard, Services } from './route.ts';
import { compileSchemasLate } from './schema-compilers.ts';
import { schemeOf } from './scheme.ts';
import { securityHeaders } from './security-headers.ts';
import { createIsTrusted, type IsTrusted } from './trusted-proxies.ts';

const BODY_LIMIT_BYTES = 64 * 1024;
const routerOptions = { ignoreTrailingSlash: true, maxParamLength: 4096 };

/** Ids that no other request of any process has. */
function createRequestIds(): () => string {
  const prefix = randomText(6);
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** One line a request, by the pattern of its route, so that nothing of the address itself is kept. */
function logRequests(server: FastifyInstance, services: Services): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, id } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const line = {
      request_id: id,
      method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      address: clientAddress(request),
    };
    services.log.info(line, 'request');
    done();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    takesPlainHttp?: boolean;
  }
}

interface HttpsParts {
  services: Services;
  isTrusted: IsTrusted;
}

/**
 * Handles a request that the browser sent over plain http, as a trusted proxy says: a page is redirected to https,
 * anything else is refused, so that no program gets used to sending secrets in the clear.
 */
function requireHttps(request: FastifyRequest, reply: FastifyReply, { services, isTrusted }: HttpsParts) {
  const protocols = request.headers['x-forwarded-proto']?.toString() || 'https';
  const isPlain = !protocols.split(',').some((hop) => schemeOf(hop) === 'https');
  if (!isPlain || !services.settings.IS_DEPLOYED || request.routeOptions.config.takesPlainHttp) return undefined;
  if (!isTrusted(request.socket.remoteAddress ?? '')) return undefined;
  if (!['GET', 'HEAD'].includes(request.method) || !prefersHtml(request)) throw new AppError('HTTPS_REQUIRED');
  return redirectTo(reply, services.baseUrl() + safeRedirect(request.url, '/'));
}

async function countRequest(call: Call): Promise<void> {
  const { route, services, request, reply } = call;
  if (!route.limit || (await route.isExempt?.(call))) return;
  const { limit, remaining, resetSeconds } = await services.limiter.consume(route.limit, limitKeys(request));
  reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds });
}

/** Asks guards in their order, and sends the browser where one of them says. */
async function runGuards(guards: readonly Guard[] = [], call: Call): Promise<FastifyReply | undefined> {
  for (const guard of guards) {
    const elsewhere = await guard(call);
    if (elsewhere !== undefined) return redirectTo(call.reply, elsewhere);
  }
  return undefined;
}

/** A body that was not sent at all counts as an empty object; one that was sent must be JSON. */
function fillAbsentBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.body === undefined && request.headers['content-type'] === undefined) request.body = {};
  done();
}

interface RouteParts {
  services: Services;
  guard: OverloadGuard;
  answerError: ReturnType<typeof createErrorHandler>;
}

function addRoute(server: FastifyInstance, route: AnyRoute, { services, guard, answerError }: RouteParts): void {
  const callOf = (request: FastifyRequest, reply: FastifyReply): Call => {
    const { body, query, params } = request;
    return { request, reply, services, route, body, query, params };
  };
  const hasBody = route.method !== 'GET';
  const { onRequest = [], preValidation = [], ...hooks } = route.isVital ? {} : overloadHooks(guard, hasBody);
  server.route({
    method: route.method,
    url: route.path,
    config: { takesPlainHttp: route.takesPlainHttp ?? false },
    ...hooks,
    ...(hasBody ? { preValidation: [...preValidation, fillAbsentBody] } : {}),
    schema: {
      ...(route.body ? { body: route.body } : {}),
      ...(route.query ? { querystring: route.query } : {}),
      ...(route.params ? { params: route.params } : {}),
      ...(route.replies ? { response: route.replies } : {}),
    },
    onRequest: [
      ...onRequest,
      ...(route.limit ? [(request: FastifyRequest, reply: FastifyReply) => countRequest(callOf(request, reply))] : []),
      ...(route.access
        ? [(request: FastifyRequest, reply: FastifyReply) => runGuards(route.access, callOf(request, reply))]
        : []),
    ],
    errorHandler: (error, request, reply) => answerError(error, request, reply, route),
    handler: async (request, reply) => {
      const call = callOf(request, reply);
      return (await runGuards(route.guards, call)) ?? route.handle(call);
    },
  });
}

/**
 * Answers every address that is none, every method that an address does not have, whatever its name, and OPTIONS, before a
 * body is read or a limit counted.
 *
 * Why     asked at each request that no route took, or one whose address names something: /tokens/:id would take a
 *         DELETE of /tokens/stats, which has no such method.
 */
function answerOtherMethods(server: FastifyInstance, routes: readonly AnyRoute[]): void {
  const addresses = findMyWay(routerOptions);
  const methodsOf = new Map<unknown, string[]>();
  const shapeOf = (path: string) => path.replace(/:\w+/g, ':');
  for (const [shape, { path }] of new Map(routes.map((route) => [shapeOf(route.path), route]))) {
    const own = routes.filter((route) => shapeOf(route.path) === shape).map((route) => route.method);
    const here = () => undefined;
    addresses.on('GET', path, here);
    methodsOf.set(here, [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
  }
  server.addHook('onRequest', (request, reply, done) => {
    const isSure = !request.is404 && Object.keys(request.params ?? {}).length === 0;
    const allow = isSure ? undefined : methodsOf.get(addresses.find('GET', request.url)?.handler);
    if (request.is404 && !allow) throw new AppError('NOT_FOUND');
    if (!allow || (!request.is404 && allow.includes(request.method))) return done();
    if (request.method !== 'OPTIONS') throw new AppError('METHOD_NOT_ALLOWED', { allow });
    reply.code(204).header('allow', allow.join(', ')).send();
  });
}

/** The target of a request without scheme and host, with which a client may send it too (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Bodies are JSON objects in UTF-8 and nothing else; keys that would reach a prototype are dropped like any unknown
 * one. Where no body is looked at, an empty one counts as not sent: many programs name the type of every body.
 */
function readJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('remove', 'remove');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0 && !request.routeOptions.schema?.body) return done(null, {});
    const { 'content-encoding': coding = 'identity' } = request.headers;
    if (coding.toLowerCase() !== 'identity') return done(new AppError('CONTENT_TYPE_UNSUPPORTED'));
    if (!isUtf8(bytes)) return done(new AppError('BODY_INVALID'));
    parse(request, bytes.toString(), (error, body: unknown) => {
      const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
      done(error ?? (isObject ? null : new AppError('BODY_INVALID')), body);
    });
  });
  server.addContentTypeParser('*', (request, _body, done) => {
    const isAbsent = request.headers['content-length'] === '0' && !request.routeOptions.schema?.body;
    done(isAbsent ? null : new AppError('CONTENT_TYPE_UNSUPPORTED'), {});
  });
}

/** Builds the HTTP server from the route table. It does not listen yet. */
export function buildServer(routes: readonly AnyRoute[], services: Services): FastifyInstance {
  const { settings, log } = services;
  const answerError = createErrorHandler(services);
  const headers = { ...securityHeaders(settings), 'cache-control': 'no-store' };
  const nextId = createRequestIds();
  const guard = createOverloadGuard(log);
  const isTrusted = createIsTrusted(settings.TRUST_PROXY);
  const { serverFactory, pipeline } = createConnections();
  const server = fastify({
    loggerInstance: log,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextId,
    requestIdHeader: false,
    trustProxy: settings.TRUST_PROXY === false ? false : isTrusted,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory,
    clientErrorHandler: answerBrokenRequests({ services, headers, nextId, pipeline }),
    routerOptions,
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : originForm(url)),
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request, reply.headers(headers));
    },
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    requireHost(request.raw);
    requireDevHost(request.headers.host, services);
    refuseCrossSite(request, services);
    if (!requireHttps(request, reply, { services, isTrusted })) done();
  });
  server.addHook('onClose', async () => guard.stop());
  compileSchemasLate(server);
  closeConnectionsOnStop(server);
  boundUnfinishedBodies(server);
  logRequests(server, services);
  answerOtherMethods(server, routes);
  readJsonOnly(server);
  server.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  server.setNotFoundHandler((request, reply) => answerError(new AppError('NOT_FOUND'), request, reply));
  for (const route of routes) addRoute(server, route, { services, guard, answerError });
  return server;
}
