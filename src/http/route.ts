import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { DataSealer } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import type { AppError } from '../errors/app-error.ts';
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
import type { ReadableBy } from './cross-origin.ts';
import type { Csrf } from './csrf.ts';
import type { Guard } from './guard.ts';
import type { Limit, RateLimiter } from './rate-limit.ts';
import type { ReplyView } from './reply.ts';
import type { DeclaredOnly, Replies, Returned } from './reply-types.ts';
import type { Stopping } from './stopping.ts';

/** What the process is built of; every handler and guard gets it with its call. */
export interface Services {
  settings: Settings;
  database: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  /** Takes what the audit log notes beside a request: refusals. Changes are events of their transaction. */
  notes: Notes;
  /** Of the session secrets: seals what browsers keep. */
  sealer: Sealer;
  /** Of the data keys: seals what the database keeps, and what browsers keep for long. */
  dataSealer: DataSealer;
  passwords: PasswordHasher;
  cookies: Cookies;
  csrf: Csrf;
  limiter: RateLimiter;
  assets: Assets;
  brand: Brand;
  renderer: Renderer;
  background: Background;
  latestVersion: LatestVersion;
  stopping: Stopping;
  /** Public address without a final slash. */
  baseUrl(): string;
}

/** One request on its way through guards and handler. */
export interface Call<Body = unknown, Query = unknown, Params = unknown> {
  request: FastifyRequest;
  reply: ReplyView;
  services: Services;
  route: AnyRoute;
  body: Body;
  query: Query;
  params: Params;
}

/** Which error answers a field that is missing (or null) or has a wrong value. */
export interface FieldError {
  missing?: ErrorName;
  invalid?: ErrorName;
  /** For a value of a wrong JSON type, where `invalid` would say something untrue of it. */
  wrongType?: ErrorName;
}

/** What a route accepts as a body. */
export type BodySpec<Schema extends TSchema = TSchema> =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'json' | 'form'; readonly schema: Schema };

/** A body in JSON. */
export const json = <Schema extends TSchema>(schema: Schema) => ({ kind: 'json', schema }) as const;

/** The fields of an HTML form. Each is a string; a name that occurs several times has a list of strings. */
export const form = <Schema extends TSchema>(schema: Schema) => ({ kind: 'form', schema }) as const;

/** The facts of a row that do not depend on its schemas. */
interface RouteFacts {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Names the operation in the OpenAPI document, and in what is generated from it. Never changes. */
  operationId: string;
  /** One sentence for the list of routes. */
  summary: string;
  /**
   * `page`: visited by a person. It fails with HTML and sends a visitor who is not signed in to the login page; a program
   * that asks for JSON, or brings a bearer credential, gets JSON errors. `json` and `file`: for programs and scripts.
   */
  kind: 'page' | 'json' | 'file';
  /** Answers programs with error pages too, as a provider's callback does. */
  alwaysErrorPage?: true;
  /** Who may call. Checked in this order, before the body is read and the input is validated. */
  access?: readonly Guard[];
  /** What else a call needs. Checked in this order, after the input is validated. */
  guards?: readonly Guard[];
  /** Reads only, whatever its method: a read-only API token is accepted. GET routes need not say so. */
  changesNothing?: true;
  /** Answered even when the service is over its capacity, because it is cheap and other programs wait for it. */
  isVital?: true;
  /** Answers every method, also from other sites, before a body is read: proxies pass those of their visitors on. */
  takesAnyMethod?: true;
  /** Answered over plain http too, as load balancers ask: it reveals nothing secret. */
  takesPlainHttp?: true;
  /** Origins whose pages may read the replies, with the cookies of this service; none unless given. For GET. */
  readableBy?: ReadableBy;
  limit?: Limit;
  /** Callers that the limit does not count. */
  exempt?: { readonly who: string; check(call: Call): Promise<boolean> };
  /** The error for a body that its schema refuses, where that depends on several fields; asked before `fieldErrors`. */
  bodyError?: (body: unknown) => AppError | undefined;
  /** The errors that the handler itself throws. Those of guards, limit and fields are added; see `errorsOf`. */
  errors?: readonly ErrorName[];
  /** The error that stands for a fault nobody foresaw. */
  failure?: ErrorName;
}

/** A row of the route table as the server and the documentation read it. */
export interface AnyRoute extends RouteFacts {
  body: BodySpec;
  query?: TSchema;
  params?: TSchema;
  fieldErrors?: Readonly<Record<string, FieldError | undefined>>;
  replies: Replies;
  handle(call: Call): Promise<unknown>;
}

type FieldsOf<Schema extends TSchema> = keyof Static<Schema> & string;

/** A row of the route table as a feature writes it. */
export interface Route<
  Body extends TSchema,
  Query extends TSchema,
  Params extends TSchema,
  Declared extends Replies,
  Given,
> extends RouteFacts {
  /** None unless given. */
  body?: BodySpec<Body>;
  query?: Query;
  params?: Params;
  fieldErrors?: { readonly [Field in FieldsOf<Body> | FieldsOf<Query> | FieldsOf<Params>]?: FieldError };
  /** Everything but errors that the route can answer, by status. */
  replies: Declared;
  handle(call: Call<Static<Body>, Static<Query>, Static<Params>>): Promise<Given>;
}

/**
 * One row of the route table. The schemas type what the handler gets, and what it may return: a field or a status that
 * `replies` does not declare does not compile.
 */
export function defineRoute<
  Body extends TSchema,
  Query extends TSchema,
  Params extends TSchema,
  const Declared extends Replies,
  const Given extends Returned<Declared>,
>(route: Route<Body, Query, Params, Declared, Given> & DeclaredOnly<Given, Declared>): AnyRoute {
  return { body: { kind: 'none' }, ...route };
}
