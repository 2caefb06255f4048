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
import type { LogRequest } from './log.ts';
import type { HttpMeter } from './meter.ts';
import type { Limit, RateLimiter } from './rate-limit.ts';
import type { Answer, ReplyView } from './reply.ts';
import type { DeclaredOnly, Replies, Returned } from './reply-types.ts';
import type { Stopping } from './stopping.ts';

/** The parts of the process that guards and handlers use. Each call contains them. */
export interface Services {
  settings: Settings;
  database: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  /** Logs a request that was answered. */
  logRequest: LogRequest;
  /** Records refusals in the audit log. Changes are not recorded here, but as events in their transaction. */
  notes: Notes;
  /** Seals values for browsers with the session secrets. */
  sealer: Sealer;
  /** Seals values for the database, and long-lived values for browsers, with the data keys. */
  dataSealer: DataSealer;
  passwords: PasswordHasher;
  cookies: Cookies;
  csrf: Csrf;
  limiter: RateLimiter;
  /** Counts requests for the metrics. Undefined if METRICS_PORT is not set. */
  meter: HttpMeter | undefined;
  assets: Assets;
  brand: Brand;
  renderer: Renderer;
  background: Background;
  latestVersion: LatestVersion;
  stopping: Stopping;
  /** Returns the public URL of the service, without a slash at the end. */
  baseUrl(): string;
}

/** One request, as guards and the handler get it. */
export interface Call<Body = unknown, Query = unknown, Params = unknown> {
  request: FastifyRequest;
  reply: ReplyView;
  services: Services;
  route: AnyRoute;
  body: Body;
  query: Query;
  params: Params;
}

/** The errors for a field that is missing (or null), or that has a wrong value. */
export interface FieldError {
  missing?: ErrorName;
  invalid?: ErrorName;
  /** The error for a value of a wrong JSON type. Set only if the message of `invalid` would be misleading for it. */
  wrongType?: ErrorName;
}

/** The kind of body that a route accepts. */
export type BodySpec<Schema extends TSchema = TSchema> =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'json' | 'form'; readonly schema: Schema };

/** Declares a JSON body. */
export const json = <Schema extends TSchema>(schema: Schema) => ({ kind: 'json', schema }) as const;

/**
 * Declares the body of an HTML form. Each field is a string. A field that occurs several times is a list of
 * strings.
 */
export const form = <Schema extends TSchema>(schema: Schema) => ({ kind: 'form', schema }) as const;

/** The part of a route that does not depend on its schemas. */
interface RouteFacts {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** The name of the operation in the OpenAPI document and in code that is generated from it. It never changes. */
  operationId: string;
  /** One sentence for the list of routes. */
  summary: string;
  /**
   * `page`: people visit it. It answers errors with HTML, and redirects a visitor who is not signed in to the login
   * page. A program that prefers JSON, or sends a bearer credential, gets JSON errors. `json` and `file`: for
   * programs and scripts.
   */
  kind: 'page' | 'json' | 'file';
  /** The route answers errors with a page, even if a program calls the route. The callback of a provider needs this. */
  alwaysErrorPage?: true;
  /** Guards that decide who may call. They run in this order, before the body is read and the input is validated. */
  access?: readonly Guard[];
  /** Further guards. They run in this order, after the input is validated. */
  guards?: readonly Guard[];
  /** Whether the route changes nothing although its method is not GET. Read-only API tokens are then accepted. */
  changesNothing?: true;
  /**
   * Whether other programs call the route to check a session or a token. The metrics count its requests as checks.
   */
  isCheck?: true;
  /**
   * Whether the route also answers when the service is overloaded, because it is cheap and other programs wait for
   * it.
   */
  isVital?: true;
  /**
   * Whether the route answers requests with every method, also from other sites, before it reads a body. Routes for
   * proxies need this, because a proxy uses the method of its visitor's request.
   */
  takesAnyMethod?: true;
  /**
   * Whether the route also answers over plain http, which load balancers use. Such a route must not reveal secrets.
   */
  takesPlainHttp?: true;
  /**
   * Returns whether pages of another origin may read the replies. By default, no page of another origin may. Only for
   * GET, and requests carry the cookies of this service, unless `readWithoutCookies` is set.
   */
  readableBy?: ReadableBy;
  /** Whether the pages that `readableBy` allows send no cookies. They may then send an API token and a form. */
  readWithoutCookies?: true;
  /** Accepts requests from pages of other sites, because the route uses no cookie. */
  takesCrossSite?: true;
  /** Answers errors in the format of OAuth 2.0 (RFC 6749 §5.2). */
  speaksOAuth?: true;
  limit?: Limit;
  /**
   * Whether the limit counts only calls that the `access` guards let pass. The errors of these guards then take
   * precedence over the error of the limit.
   */
  countsAfterAccess?: true;
  /**
   * Something besides the client for which the limit counts separately, such as the calling application. It is
   * known only after the body is read.
   */
  limitBy?: { readonly what: string; find(call: Call): Promise<string> };
  /** Callers that the limit does not count. */
  exempt?: { readonly who: string; check(call: Call): Promise<boolean> };
  /**
   * Returns the error for an invalid body, if it depends on several fields. It takes precedence over `fieldErrors`.
   */
  bodyError?: (body: unknown) => AppError | undefined;
  /** The errors that the handler itself throws. `errorsOf` adds those of guards, limit and fields. */
  errors?: readonly ErrorName[];
  /** The error for an unexpected failure. The default is INTERNAL_ERROR. */
  failure?: ErrorName;
  /**
   * Shows a refused form to the visitor of a page again, with the status of the error, which is below 500. The body
   * was read, but may not be validated. An error of the rate limit is answered only after the body was read. Any
   * other error that occurs before that gets the error page.
   *
   * @returns undefined if the error page is to be shown
   */
  showRefusal?(call: Call, error: AppError): Promise<Answer | undefined>;
}

/** A route of the route table, as the server and the documentation read it. */
export interface AnyRoute extends RouteFacts {
  body: BodySpec;
  query?: TSchema;
  params?: TSchema;
  fieldErrors?: Readonly<Record<string, FieldError | undefined>>;
  replies: Replies;
  checkInput?(call: Call): void;
  handle(call: Call): Promise<unknown>;
}

type FieldsOf<Schema extends TSchema> = keyof Static<Schema> & string;

/** A route of the route table, as a feature declares it. */
export interface Route<
  Body extends TSchema,
  Query extends TSchema,
  Params extends TSchema,
  Declared extends Replies,
  Given,
> extends RouteFacts {
  /** The route accepts no body if this is missing. */
  body?: BodySpec<Body>;
  query?: Query;
  params?: Params;
  fieldErrors?: { readonly [Field in FieldsOf<Body> | FieldsOf<Query> | FieldsOf<Params>]?: FieldError };
  /** All replies of the route by status, except errors. */
  replies: Declared;
  /** Throws an AppError for values that a schema cannot check. Runs before the guards. */
  checkInput?(call: Call<Static<Body>, Static<Query>, Static<Params>>): void;
  handle(call: Call<Static<Body>, Static<Query>, Static<Params>>): Promise<Given>;
}

/**
 * Declares a route of the route table. The schemas determine the types of the handler's input and return value. A
 * handler does not compile if it returns a field or a status that `replies` does not declare.
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
