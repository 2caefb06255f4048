import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { AppError } from '../errors/app-error.ts';
import { limitKeys } from './client-address.ts';
import { allowOrigin } from './cross-origin.ts';
import type { createErrorHandler } from './error-handler.ts';
import type { Guard } from './guard.ts';
import { type OverloadGuard, overloadHooks } from './overload.ts';
import { Answer, type Redirect, replyKind } from './reply.ts';
import type { AnyRoute, Call, Services } from './route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    takesPlainHttp?: boolean;
    takesCrossSite?: boolean;
  }

  interface FastifyRequest {
    /**
     * The rate-limit error of a form whose page can show the form again. It is thrown only after the body was read,
     * because the page shows the form with the content of the body.
     */
    limitRefusal?: AppError;
  }
}

export interface RouteParts {
  services: Services;
  guard: OverloadGuard;
  answerError: ReturnType<typeof createErrorHandler>;
}

async function countRequest(call: Call): Promise<void> {
  const { route, services, request, reply } = call;
  if (!route.limit || (await route.exempt?.check(call))) return;
  const part = await route.limitBy?.find(call);
  const keys = limitKeys(request).map((one) => (part === undefined ? one : { ...one, key: `${one.key} ${part}` }));
  const { limit, remaining, resetSeconds } = await services.limiter.consume(route.limit, keys);
  reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds });
}

/**
 * Counts the request of a form. If the request exceeds the limit, stores the error in `limitRefusal` and does not
 * throw, so that the body is read and the page can show the form again.
 */
async function countForm(call: Call): Promise<void> {
  try {
    await countRequest(call);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    call.request.limitRefusal = error;
  }
}

/** Returns the error to answer with. A stored limit error replaces any other error, except OVERLOADED. */
function reasonOf(error: unknown, { limitRefusal }: FastifyRequest): unknown {
  const isShed = error instanceof AppError && error.code === 'OVERLOADED';
  return isShed ? error : (limitRefusal ?? error);
}

/** Runs the guards in order. Stops at the first guard that redirects the browser. */
async function runGuards(guards: readonly Guard[] = [], call: Call): Promise<Redirect | undefined> {
  for (const guard of guards) {
    const elsewhere = await guard.check(call);
    if (elsewhere) return elsewhere;
  }
  return undefined;
}

/** Returns the schemas of the JSON replies. Other replies are sent without a schema. */
const jsonReplies = ({ replies }: AnyRoute): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(replies).filter(([, schema]) => replyKind(schema) === 'json'));

/** Adds a route of the route table to the server scope that reads its kind of body. */
export function addRoute(scope: FastifyInstance, route: AnyRoute, { services, guard, answerError }: RouteParts): void {
  const callOf = (request: FastifyRequest, reply: FastifyReply): Call => {
    const { body, query, params } = request;
    return { request, reply, services, route, body, query, params };
  };
  const {
    onRequest = [],
    preValidation = [],
    ...hooks
  } = route.isVital ? {} : overloadHooks(guard, route.body.kind !== 'none');
  const { readableBy, readWithoutCookies } = route;
  const allow = async (request: FastifyRequest, reply: FastifyReply) => {
    if (readableBy) await allowOrigin(request, reply, { services, readableBy, readWithoutCookies });
  };
  const countCall = route.showRefusal ? countForm : countRequest;
  const count = (request: FastifyRequest, reply: FastifyReply) => countCall(callOf(request, reply));
  const askAccess = async (request: FastifyRequest, reply: FastifyReply) =>
    request.limitRefusal ? undefined : (await runGuards(route.access, callOf(request, reply)))?.sendBy(reply);
  const refuseLimited = async ({ limitRefusal }: FastifyRequest) => {
    if (limitRefusal) throw limitRefusal;
  };
  scope.route({
    method: route.method,
    url: route.path,
    config: { takesPlainHttp: route.takesPlainHttp ?? false, takesCrossSite: route.takesCrossSite ?? false },
    ...hooks,
    schema: {
      ...('schema' in route.body ? { body: route.body.schema } : {}),
      ...(route.query ? { querystring: route.query } : {}),
      ...(route.params ? { params: route.params } : {}),
      response: jsonReplies(route),
    },
    onRequest: [
      ...(readableBy ? [allow] : []),
      ...onRequest,
      ...(route.limit && !route.countsAfterAccess && !route.limitBy ? [count] : []),
      ...(route.access ? [askAccess] : []),
      ...(route.limit && route.countsAfterAccess ? [count] : []),
    ],
    preValidation: [...preValidation, ...(route.showRefusal ? [refuseLimited] : [])],
    errorHandler: (error, request, reply) => answerError(reasonOf(error, request), request, reply, route),
    handler: async (request, reply) => {
      const call = callOf(request, reply);
      if (route.limitBy) await countRequest(call);
      route.checkInput?.(call);
      const result = (await runGuards(route.guards, call)) ?? (await route.handle(call));
      return result instanceof Answer ? result.sendBy(reply) : result;
    },
  });
}
