import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Database } from '../db/handle.ts';
import type { ErrorName } from '../errors/registry.ts';
import type { Notes } from '../events/event-log.ts';
import type { Background } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import type { LatestVersion } from '../lib/latest-version.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { Settings } from '../settings/table.ts';
import type { Assets } from '../ui/assets.ts';
import type { Brand } from '../ui/brand.ts';
import type { Renderer } from '../ui/render.ts';
import type { Cookies } from './cookies.ts';
import type { Csrf } from './csrf.ts';
import type { Limit, RateLimiter } from './rate-limit.ts';

/** What the process is built of; every handler and guard gets it with its call. */
export interface Services {
  settings: Settings;
  database: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  /** Takes what the audit trail notes beside a request: refusals. Changes are events of their transaction. */
  notes: Notes;
  sealer: Sealer;
  passwords: PasswordHasher;
  cookies: Cookies;
  csrf: Csrf;
  limiter: RateLimiter;
  assets: Assets;
  brand: Brand;
  renderer: Renderer;
  background: Background;
  latestVersion: LatestVersion;
  /** Public address without a final slash. */
  baseUrl(): string;
}

/** One request on its way through guards and handler. */
export interface Call<Body = unknown, Query = unknown, Params = unknown> {
  request: FastifyRequest;
  reply: FastifyReply;
  services: Services;
  route: AnyRoute;
  body: Body;
  query: Query;
  params: Params;
}

/** Lets a call pass, sends the browser somewhere else (by answering the path), or throws an AppError. */
export interface Guard {
  (call: Call): Promise<string | undefined> | string | undefined;
  /** What a caller must have to pass, for the documentation. */
  readonly describe?: string;
}

/** A guard with the words by which the documentation names it. */
export const describeGuard = (describe: string, guard: Guard): Guard => Object.assign(guard, { describe });

/** Which error answers a field of the body that is missing (or null) or has a wrong value. */
export type FieldErrors = Record<string, { missing?: ErrorName; invalid?: ErrorName }>;

export interface Route<
  Body extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Params extends TSchema = TSchema,
> {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** One sentence for the list of routes. */
  summary: string;
  /** A page answers HTML, also when it fails, and sends an anonymous visitor to the login page. A file is no JSON. */
  kind: 'page' | 'json' | 'file';
  /** Whom the route lets in at all. Asked in this order, before a body is read and what was sent is looked at. */
  access?: readonly Guard[];
  /** What else a call must have. Asked in this order, behind `access` and the checks of the input. */
  guards?: readonly Guard[];
  /** Reads only, whatever its method: an API token that may only read is let in. GET routes need not say so. */
  changesNothing?: true;
  /** Answered also when the service is over its capacity: it is cheap, and other programs wait for it. */
  isVital?: true;
  /** Answered over plain http too, as load balancers ask: it holds nothing secret. */
  takesPlainHttp?: true;
  limit?: Limit;
  /** Calls that the limit does not count. */
  isExempt?: (call: Call) => Promise<boolean>;
  body?: Body;
  query?: Query;
  params?: Params;
  fieldErrors?: FieldErrors;
  /** Which error answers a body that its schema refuses, where that takes a look at several fields; before `fieldErrors`. */
  bodyError?: (body: unknown) => ErrorName | undefined;
  /** For those that send the browser on: always, or only in some cases. Gates that do so need no mention. */
  redirects?: 'always' | 'sometimes';
  /** What a file is. */
  contentType?: string;
  /** JSON replies by status. */
  replies?: Record<number, TSchema>;
  /** The refusals of this route itself, beside those that any route can give. */
  errors?: readonly ErrorName[];
  /** What an error is called that nobody foresaw. */
  failure?: ErrorName;
  /** Answers the JSON value or the HTML text, or sends the reply itself and returns it. */
  handle(call: Call<Static<Body>, Static<Query>, Static<Params>>): Promise<unknown>;
}

export type AnyRoute = Route<TSchema, TSchema, TSchema>;

/** One row of the route table, its handler typed by its schemas. */
export function defineRoute<Body extends TSchema, Query extends TSchema, Params extends TSchema>(
  route: Route<Body, Query, Params>,
): AnyRoute {
  return route;
}
