import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import { parseForm } from './form.ts';
import type { BodySpec } from './route.ts';

/** Returns an error if a body cannot be read as text, because it is compressed or not UTF-8. */
function textError({ headers }: FastifyRequest, bytes: Buffer): AppError | undefined {
  const { 'content-encoding': coding = 'identity' } = headers;
  if (coding.toLowerCase() !== 'identity') return new AppError('CONTENT_TYPE_UNSUPPORTED');
  return isUtf8(bytes) ? undefined : new AppError('BODY_INVALID');
}

/** Treats a missing body as an empty object. Only a request without a Content-Type counts as having no body. */
function fillAbsentBody(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  if (request.body === undefined && request.headers['content-type'] === undefined) request.body = {};
  done();
}

function refuseOtherTypes(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', (_request, _body, done) => done(new AppError('CONTENT_TYPE_UNSUPPORTED')));
}

/** Parses bodies as JSON objects in UTF-8. Drops keys such as `__proto__`, like any unknown key. */
function readJson(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('remove', 'remove');
  scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const unreadable = textError(request, bytes);
    if (unreadable) return done(unreadable);
    void parse(request, bytes.toString(), (error, body: unknown) => {
      const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
      done(error ?? (isObject ? null : new AppError('BODY_INVALID')), body);
    });
  });
  refuseOtherTypes(scope);
  scope.addHook('preValidation', fillAbsentBody);
}

/** Parses bodies as HTML forms in UTF-8. */
function readForm(scope: FastifyInstance): void {
  scope.addContentTypeParser<Buffer>(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      const fields = parseForm(bytes.toString());
      done(textError(request, bytes) ?? (fields ? null : new AppError('BODY_INVALID')), fields);
    },
  );
  refuseOtherTypes(scope);
  scope.addHook('preValidation', fillAbsentBody);
}

/** Reads the bytes of a body of any type. A foreign handler then parses them. */
function readBytes(scope: FastifyInstance): void {
  scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
}

/** Ignores the body. */
function readNothing(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
}

const readers: Record<BodySpec['kind'], (scope: FastifyInstance) => void> = {
  json: readJson,
  form: readForm,
  bytes: readBytes,
  none: readNothing,
};

/** Every kind of body that a route can declare. */
export const bodyKinds = ['json', 'form', 'bytes', 'none'] as const satisfies readonly BodySpec['kind'][];

/** Sets up a scope of the server to read bodies of this kind. */
export function readBodies(scope: FastifyInstance, kind: BodySpec['kind']): void {
  scope.removeAllContentTypeParsers();
  readers[kind](scope);
}
