// Creates the responses of an operation in the OpenAPI document.
import type { TSchema } from 'typebox';
import { type ErrorName, errorRegistry } from '../../src/errors/registry.ts';
import { replyKind } from '../../src/http/reply.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import { commonErrors, errorsOf, guardsOf } from '../../src/http/route-errors.ts';
import { plainSchema, type Schema } from './schema-words.ts';

interface Response {
  description: string;
  headers?: Schema;
  content?: Schema;
}

type Responses = Record<string, Response>;

const errorSchema: Schema = {
  type: 'object',
  required: ['success', 'message', 'code', 'error_code', 'hint', 'request_id'],
  properties: {
    success: { const: false },
    message: { type: 'string' },
    code: { type: 'string', description: 'Name of the error; see errors.md' },
    error_code: { type: 'integer', description: 'Number of the error; see errors.md' },
    hint: { type: 'string', description: 'What to do next' },
    field: { type: 'string', description: 'Name of the field that is missing or wrong' },
    request_id: { type: 'string', description: 'Id of the request in the log' },
    ways: {
      type: 'array',
      items: { type: 'string' },
      description: 'With CONFIRMATION_REQUIRED: the ways to confirm',
    },
    status: { type: 'string', description: 'State of the thing that the request is about' },
  },
};

const inJson: Schema = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const inHtml: Schema = { 'text/html': { schema: { type: 'string' } } };
const inBoth: Schema = { ...inJson, ...inHtml };

const seconds: Schema = { type: 'integer', minimum: 0 };
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
const rateLimit = {
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};

const otherErrors = `Any other error: ${commonErrors.join(', ')}`;

/** The components that the responses of all operations refer to. */
export const sharedComponents = {
  schemas: { Error: errorSchema },
  responses: {
    Error: { description: otherErrors, content: inJson },
    ErrorOrPage: { description: `${otherErrors}; as a page for a browser`, content: inBoth },
  },
  headers: {
    RetryAfter: { description: 'Seconds after which to try again', schema: seconds },
    RateLimitLimit: { description: 'Requests that the window allows', schema: seconds },
    RateLimitRemaining: { description: 'Requests that are left in the window', schema: seconds },
    RateLimitReset: { description: 'Seconds until the window ends', schema: seconds },
  },
};

/**
 * Returns whether an error can be a page. Pages always reply with a page. A GET route replies with a page if `Accept`
 * prefers HTML, because a person may have opened its URL. All other routes reply with JSON.
 */
const canBePage = ({ kind, method }: AnyRoute): boolean => kind === 'page' || method === 'GET';

const redirectHeaders = { Location: { schema: { type: 'string', format: 'uri-reference' } } };

function declaredResponse(schema: TSchema): Response {
  const { contentMediaType, description, ...json } = plainSchema(schema);
  switch (replyKind(schema)) {
    case 'html':
      return { description: 'A page', content: inHtml };
    case 'file': {
      const [type = '*/*'] = String(contentMediaType).split(';');
      return { description: 'A file', content: { [type]: {} } };
    }
    case 'stream':
      return { description: `A stream: ${description}`, content: { 'text/event-stream': {} } };
    case 'redirect':
      return { description: `Redirect: ${description}`, headers: redirectHeaders };
    case 'empty':
      return { description: 'No body' };
    default:
      return { description: 'JSON', content: { 'application/json': { schema: json } } };
  }
}

/** Returns the redirect for a visitor whom a guard of a page does not let pass. */
function guardResponses(route: AnyRoute): Responses {
  const places = guardsOf(route).flatMap(({ sendsTo }) => (route.kind === 'page' && sendsTo ? [sendsTo] : []));
  const [place] = places;
  if (place === undefined) return {};
  return {
    302: { description: `Redirect: ${place}, for a visitor who may not see the page`, headers: redirectHeaders },
  };
}

function errorResponses(route: AnyRoute): Responses {
  const byStatus = new Map<number, ErrorName[]>();
  for (const name of errorsOf(route)) {
    const { status } = errorRegistry[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  const responses: Responses = {};
  for (const [status, names] of byStatus) {
    const description = names.map((name) => `${name} (${errorRegistry[name].number})`).join(', ');
    const headers = status === 429 ? { headers: retryAfter } : {};
    responses[status] = { description, ...headers, content: canBePage(route) ? inBoth : inJson };
  }
  return responses;
}

function merge(left: Response | undefined, right: Response): Response {
  if (!left) return right;
  const headers = { ...left.headers, ...right.headers };
  const content = { ...left.content, ...right.content };
  return {
    description: `${left.description}; ${right.description}`,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

function mergeAll(parts: readonly Responses[]): Responses {
  const all: Responses = {};
  for (const [status, response] of parts.flatMap((part) => Object.entries(part))) {
    all[status] = merge(all[status], response);
  }
  return all;
}

/** Returns the responses of an operation, by status. */
export function responsesOf(route: AnyRoute): Schema {
  const declared = Object.entries(route.replies).map(([status, schema]) => [status, declaredResponse(schema)] as const);
  const responses = mergeAll([Object.fromEntries(declared), guardResponses(route), errorResponses(route)]);
  const counted = Object.entries(responses).map(([status, { description, headers, content }]) => [
    status,
    { description, headers: { ...headers, ...rateLimit }, ...(content ? { content } : {}) },
  ]);
  return {
    ...(route.limit ? Object.fromEntries(counted) : responses),
    default: { $ref: `#/components/responses/${canBePage(route) ? 'ErrorOrPage' : 'Error'}` },
  };
}
