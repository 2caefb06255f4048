import { type Static, Type } from 'typebox';
import { type LoggedQuery, MAX_QUERIES } from './query-log.ts';

const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(type: T) =>
  Type.Union([type, Type.Null()]);

export const queryEntry = Type.Object({
  time: Type.String({ format: 'date-time' }),
  name: Type.String(),
  query: Type.String(),
  values: Type.Array(Type.Unknown()),
  durationMs: Type.Number(),
  success: Type.Boolean(),
  error: nullable(Type.String()),
  request: Type.Union([
    Type.Object({
      method: Type.String(),
      url: Type.String(),
      ip: Type.String(),
      user_id: nullable(Type.Integer()),
      username: nullable(Type.String()),
    }),
    Type.Null(),
  ]),
  pool: Type.Object({ total: Type.Integer(), idle: Type.Integer(), waiting: Type.Integer() }),
  callsite: Type.Object({
    function: nullable(Type.String()),
    file: nullable(Type.String()),
    line: nullable(Type.Integer()),
    column: nullable(Type.Integer()),
  }),
});
export type QueryEntry = Static<typeof queryEntry>;

export const queryReport = Type.Object({
  queryCount: Type.Integer(),
  queryLimit: Type.Integer(),
  resetDone: Type.Boolean(),
  queryLog: Type.Array(queryEntry),
});

const anything = Type.Optional(Type.Unknown());
export const reportQuery = Type.Object({ limit: anything, reset: anything });
export const monitorQuery = Type.Object({ limit: anything, resetDone: anything });
export const resetReply = Type.Object({ success: Type.Literal(true), message: Type.String() });

const DEFAULT_LIMIT = 50;

/** Returns how many queries to show: the given number from 1 to the size of the log, or 50 if it is missing or invalid. */
export function parseLimit(limit: unknown): number {
  const number = typeof limit === 'string' && /^\d{1,15}$/.test(limit) ? Number(limit) : 0;
  return number > 0 ? Math.min(number, MAX_QUERIES) : DEFAULT_LIMIT;
}

/** Converts a logged query to JSON. */
export function toEntry({
  at,
  name,
  sql,
  values,
  durationMs,
  error,
  request,
  pool,
  callsite,
}: LoggedQuery): QueryEntry {
  return {
    time: new Date(at).toISOString(),
    name,
    query: sql,
    values,
    durationMs,
    success: error === null,
    error,
    request: request
      ? {
          method: request.method,
          url: request.url,
          ip: request.ip,
          user_id: request.user?.userId ?? null,
          username: request.user?.username ?? null,
        }
      : null,
    pool,
    callsite: callsite(),
  };
}
