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
import type { HttpMeter } from './meter.ts';
import type { Limit, RateLimiter } from './rate-limit.ts';
import type { Answer, ReplyView } from './reply.ts';
import type { DeclaredOnly, Replies, Returned } from './reply-types.ts';
import type { Stopping } from './stopping.ts';

/** The parts of the process. Every handler and guard gets them with its call. */
export interface Services {
  settings: Settings;
  database: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  /** Records refusals in the audit log. Changes are events of their transaction. */
  notes: Notes;
  /** Seals values for browsers, with the session secrets. */
  sealer: Sealer;
  /** Seals values for the database, and long-lived ones for browsers, with the data keys. */
  dataSealer: DataSealer;
  passwords: PasswordHasher;
  cookies: Cookies;
  csrf: Csrf;
  limiter: RateLimiter;
  /** Counts requests for the metrics; undefined: there are none. */
  meter: HttpMeter | undefined;
  assets: Assets;
  brand: Brand;
  renderer: Renderer;
  background: Background;
  latestVersion: LatestVersion;
  stopping: Stopping;
  /** Public address without a final slash. */
  baseUrl(): string;
}

/** One request that passes guards and handler. */
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
  /** For a value of a wrong JSON type, if the message of `invalid` would not be true. */
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
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** Names the operation in the OpenAPI document, and in code that is generated from it. Never changes. */
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
  /** Further requirements of a call. Checked in this order, after the input is validated. */
  guards?: readonly Guard[];
  /** Only reads, whatever its method, so read-only API tokens are accepted. GET routes do not need this. */
  changesNothing?: true;
  /** Tells other programs whether a session or a token is valid. The metrics count it as a check. */
  isCheck?: true;
  /** Answered even beyond the capacity of the service, because it is cheap and other programs wait for it. */
  isVital?: true;
  /**
   * Answers every method, also from other sites, before a body is read, because proxies forward their visitors'
   * methods.
   */
  takesAnyMethod?: true;
  /** Also answered over plain http, which load balancers use. It reveals no secrets. */
  takesPlainHttp?: true;
  /** Origins whose pages may read the replies, with the cookies of this service. The default is none. Only for GET. */
  readableBy?: ReadableBy;
  /** Those pages read them without cookies, and may send a token and a form. */
  readWithoutCookies?: true;
  /** Answers pages of other sites too: it acts by no cookie. */
  takesCrossSite?: true;
  /** Its errors have the form of OAuth 2.0 (RFC 6749 §5.2). */
  speaksOAuth?: true;
  limit?: Limit;
  /** Counts only the calls that `access` lets in, whose refusals come before that of the limit. */
  countsAfterAccess?: true;
  /** What else the limit counts apart, such as the application that asks; known once the body is read. */
  limitBy?: { readonly what: string; find(call: Call): Promise<string> };
  /** Callers that the limit does not count. */
  exempt?: { readonly who: string; check(call: Call): Promise<boolean> };
  /** The error for an invalid body, if it depends on several fields. Used before `fieldErrors`. */
  bodyError?: (body: unknown) => AppError | undefined;
  /** The errors that the handler itself throws. Those of guards, limit and fields are added; see `errorsOf`. */
  errors?: readonly ErrorName[];
  /** The error for an unexpected fault. */
  failure?: ErrorName;
  /**
   * Shows a refused form again to a visitor of a page, with the status of the error, which is below 500. The body was read,
   * but may be unchecked. A refusal by the limit waits for the body; other refusals from before it get the error page.
   *
   * @returns undefined: the error page says it
   */
  showRefusal?(call: Call, error: AppError): Promise<Answer | undefined>;
}

/** A row of the route table as the server and the documentation read it. */
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
  /** All replies of the route by status, without errors. */
  replies: Declared;
  /** Refuses values that no schema can judge, before the guards. */
  checkInput?(call: Call<Static<Body>, Static<Query>, Static<Params>>): void;
  handle(call: Call<Static<Body>, Static<Query>, Static<Params>>): Promise<Given>;
}

/**
 * One row of the route table. The schemas type the input of the handler and its return value: a field or a status that
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
