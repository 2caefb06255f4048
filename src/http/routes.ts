import { Type } from 'typebox';
import { status } from './reply.ts';
import { type AnyRoute, defineRoute } from './route.ts';

const readiness = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable'), Type.Literal('stopping')]),
  dependencies: Type.Object({ database: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]) }),
});

/** The health routes, for monitoring. */
export const healthRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Return 200 while the process is running (liveness check)',
    kind: 'json',
    isVital: true,
    takesPlainHttp: true,
    replies: { 200: Type.Object({ status: Type.Literal('ok') }) },
    handle: async () => ({ status: 'ok' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/readyz',
    operationId: 'getReadiness',
    summary:
      'Return 200 if the process can take requests, or 503 while the database does not answer or the process is stopping (readiness check)',
    kind: 'json',
    isVital: true,
    takesPlainHttp: true,
    replies: { 200: readiness, 503: readiness },
    handle: async ({ services }) => {
      const database = await services.database.ping().then(
        () => 'ok' as const,
        () => 'unavailable' as const,
      );
      const state = services.stopping.isStopping() ? 'stopping' : database;
      return status(state === 'ok' ? 200 : 503, { status: state, dependencies: { database } });
    },
  }),
];
