import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isOutage } from '../db/outage.ts';
import { AppError, type ErrorParameters } from '../errors/app-error.ts';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { AskerGone, QueueFull } from '../lib/fair-queue.ts';
import { safeRedirect } from '../lib/safe-redirect.ts';
import { actorOf } from './actor.ts';
import { wantsErrorPage } from './asks-for.ts';
import { limitKeys } from './client-address.ts';
import { inputError } from './input-error.ts';
import type { ShedReason } from './meter.ts';
import { oauthErrorBody } from './oauth-error.ts';
import { createErrorPages } from './page/error/render.ts';
import { languageOf, pageReply } from './page.ts';
import type { Limit } from './rate-limit.ts';
import type { Answer } from './reply.ts';
import type { AnyRoute, Services } from './route.ts';
import { traceFields } from './trace-id.ts';

/** Seconds after which a client may try again when the database was unavailable. */
const OUTAGE_RETRY_SECONDS = 5;

/** The errors for which Fastify refuses a request before a handler runs. */
const frameworkErrors: Record<string, ErrorName> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'CONTENT_TYPE_UNSUPPORTED',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'BODY_INVALID',
  FST_ERR_CTP_INVALID_JSON_BODY: 'BODY_INVALID',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BODY_INVALID',
  FST_ERR_BAD_URL: 'URL_INVALID',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
};

/** The errors for bodies that Fastify does not read. */
const unreadBody: readonly ErrorName[] = ['BODY_TOO_LARGE', 'CONTENT_TYPE_UNSUPPORTED'];

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_');
}

/** Converts any error into an AppError. */
function toAppError(error: unknown, request: FastifyRequest, route: AnyRoute | undefined): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof QueueFull)
    return new AppError('OVERLOADED', { retryAfterSeconds: error.retryAfterSeconds, cause: error });
  if (error instanceof AskerGone) return new AppError('OVERLOADED', { cause: error });
  if (isFastifyError(error)) {
    const refused = inputError(error, request.body, route);
    const known = frameworkErrors[error.code];
    if (refused) return refused;
    if (known) return new AppError(known, { cause: error });
  }
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 400) return new AppError('BODY_INVALID', { cause: error });
  if (status === 403 || status === 404) return new AppError('NOT_FOUND', { cause: error });
  const code = isOutage(error) ? 'OVERLOADED' : (route?.failure ?? 'INTERNAL_ERROR');
  const wait = code === 'OVERLOADED' ? { retryAfterSeconds: OUTAGE_RETRY_SECONDS } : {};
  return new AppError(code, { cause: error, ...wait });
}

function setDetailHeaders(
  reply: FastifyReply,
  { retryAfterSeconds, limit, allow, challenge }: AppError['parameters'],
): void {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  if (limit !== undefined) {
    reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': 0, 'ratelimit-reset': retryAfterSeconds ?? 0 });
  }
  if (allow) reply.header('allow', allow.join(', '));
  if (challenge) reply.header('www-authenticate', challenge);
}

type Lead = NonNullable<ErrorParameters['goOn']>;

/**
 * Errors that a visitor may avoid with another account, each with the page where the visitor can sign in with another
 * account.
 */
const FOR_ANOTHER_ACCOUNT: { [Name in ErrorName]?: Lead } = {
  NOT_SIGNED_IN: { path: '/authsvc/login', words: 'signIn' },
  TOKEN_INVALID: { path: '/authsvc/login', words: 'signIn' },
  APP_NOT_ALLOWED: { path: '/authsvc/login', words: 'signIn' },
  SUPERADMIN_REQUIRED: { path: '/authsvc/accounts', words: 'switchAccount' },
};

/**
 * Returns the link to the page where the visitor can sign in with another account. That page then returns to the
 * requested URL.
 */
function offerAnotherAccount(code: ErrorName, request: FastifyRequest): Lead | undefined {
  const lead = FOR_ANOTHER_ACCOUNT[code];
  const back = safeRedirect(request.url, '');
  return lead && back ? { ...lead, path: `${lead.path}?redirect=${encodeURIComponent(back)}` } : lead;
}

/**
 * The statuses of errors that the audit log records, because the caller tried something forbidden, or tried too often.
 */
const AUDITED_STATUSES = [401, 403, 404, 429];

/**
 * Records a refusal for the audit log. Leaves out the typed username, because people sometimes type their password
 * there.
 */
function noteRefusal(error: AppError, request: FastifyRequest, route: AnyRoute | undefined, { notes }: Services): void {
  const { status } = errorRegistry[error.code];
  if (!AUDITED_STATUSES.includes(status) || error.code === 'NOT_FOUND') return;
  const { userId, providerAccount, reason: cause } = error.parameters;
  const { signInMethod, confirmationMethod } = request;
  const facts = {
    reason: error.code,
    ...(cause === undefined ? {} : { cause }),
    route: route?.path ?? 'unknown',
    ...(providerAccount === undefined ? {} : { provider_account: providerAccount }),
  };
  const actor = actorOf({ request });
  const subject = userId === undefined ? null : { id: userId };
  const method = signInMethod ?? confirmationMethod;
  const type = signInMethod === undefined ? 'confirmation.refused' : 'sign_in.refused';
  if (method === undefined) notes.note({ type: 'request.refused', actor, subject, details: facts });
  else notes.note({ type, actor, subject, details: { ...facts, method } });
}

/** Returns what lacked capacity if the error is OVERLOADED, and undefined for any other error. */
function shedReason({ code, parameters: { cause } }: AppError): ShedReason | undefined {
  if (code !== 'OVERLOADED') return undefined;
  if (cause === undefined) return 'capacity';
  return cause instanceof QueueFull || cause instanceof AskerGone ? 'hash_queue' : 'database';
}

/** Returns the JSON body of an error. */
export function errorBody(name: ErrorName, requestId: string, { state, field, ways, current }: ErrorParameters = {}) {
  const { number, message, hint } = errorRegistry[name];
  return {
    success: false,
    ...(state === undefined ? {} : { status: state }),
    message,
    code: name,
    error_code: number,
    hint,
    ...(field === undefined ? {} : { field }),
    ...(ways === undefined ? {} : { ways }),
    ...(current === undefined ? {} : { current }),
    request_id: requestId,
  };
}

/**
 * Returns the log message for an error that the operator must see, or undefined for a refusal. The overload guard
 * logs its own refusals.
 */
function faultIn(error: AppError): string | undefined {
  const { status, message } = errorRegistry[error.code];
  const { cause } = error.parameters;
  if (isOutage(cause)) return 'the database cannot answer';
  if (error.code === 'OVERLOADED') return shedReason(error) === 'database' ? 'no answer for now' : undefined;
  return status >= 500 ? message : undefined;
}

/**
 * How often a client that exceeds a rate limit gets the form again. After that it gets the error page, which costs
 * less.
 */
const formsAgain: Limit = { name: 'form-again', error: 'TOO_MANY_REQUESTS' };

interface Refused {
  services: Services;
  request: FastifyRequest;
  reply: FastifyReply;
  route: AnyRoute;
}

/** Returns the page with the refused form, or undefined if it cannot be shown again. */
async function formAgain(error: AppError, { services, request, reply, route }: Refused): Promise<Answer | undefined> {
  const { body, query, params } = request;
  try {
    if (errorRegistry[error.code].status === 429) await services.limiter.consume(formsAgain, limitKeys(request));
    return await route.showRefusal?.({ request, reply, services, route, body, query, params }, error);
  } catch (cause) {
    if (!(cause instanceof AppError))
      services.log.error({ err: cause, request_id: request.id }, 'failed to show the refused form again');
    return undefined;
  }
}

async function answerForm(error: AppError, refused: Refused, showPage: () => FastifyReply): Promise<void> {
  const again = await formAgain(error, refused);
  await (again?.sendBy(refused.reply) ?? showPage());
}

/**
 * Creates the function that turns the errors of routes into replies. It answers with the documented JSON, or with the
 * error page and the same status. Internal errors are logged with their cause. The reply reveals neither the stack nor a
 * library.
 */
export function createErrorHandler(services: Services) {
  const errorPageOf = createErrorPages(services.renderer);
  return function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, route?: AnyRoute) {
    const error = toAppError(thrown, request, route);
    const { number, status, message, hint } = errorRegistry[error.code];
    const fault = faultIn(error);
    if (fault !== undefined) {
      const { cause, provider } = error.parameters;
      services.log.error(
        { err: cause ?? error, code: error.code, provider, request_id: request.id, ...traceFields(request.headers) },
        fault,
      );
    }
    noteRefusal(error, request, route, services);
    services.meter?.refused(error.code, shedReason(error));
    setDetailHeaders(reply, error.parameters);
    // Fastify sets `connection: close` after a body that it does not read. A client that is still sending would
    // then not receive the reply. Without the header, Node.js reads and discards the rest of the body, for as long
    // as a request may take.
    if (unreadBody.includes(error.code)) reply.removeHeader('connection');
    reply.code(status);
    if (!route?.speaksOAuth && wantsErrorPage(request, route)) {
      const {
        goOn = offerAnotherAccount(error.code, request),
        provider,
        providerAccount,
        retryAfterSeconds,
      } = error.parameters;
      const lead = {
        ...(retryAfterSeconds ? { waitSeconds: retryAfterSeconds } : {}),
        ...(goOn ? { goOn } : {}),
        ...(provider ? { provider } : {}),
        ...(providerAccount ? { providerAccount } : {}),
      };
      const page = { status, message, code: error.code, errorCode: number, hint, requestId: request.id, ...lead };
      const showPage = () => pageReply(reply, errorPageOf(page, languageOf({ request, services }))).sendBy(reply);
      if (!route?.showRefusal || status >= 500 || request.body === undefined) return showPage();
      return answerForm(error, { services, request, reply, route }, showPage);
    }
    const speaksOAuth = route?.speaksOAuth && error.code !== 'NOT_FOUND';
    const body = speaksOAuth ? oauthErrorBody(error.code) : errorBody(error.code, request.id, error.parameters);
    return reply.type('application/json; charset=utf-8').send(body);
  };
}
