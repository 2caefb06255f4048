import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import { parseForm } from './form.ts';
import type { BodySpec } from './route.ts';

/** Why the bytes of a body cannot be read as text. */
function textError({ headers }: FastifyRequest, bytes: Buffer): AppError | undefined {
  const { 'content-encoding': coding = 'identity' } = headers;
  if (coding.toLowerCase() !== 'identity') return new AppError('CONTENT_TYPE_UNSUPPORTED');
  return isUtf8(bytes) ? undefined : new AppError('BODY_INVALID');
}

/** A missing body counts as an empty object. A body that was sent must have the right type. */
function fillAbsentBody(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  if (request.body === undefined && request.headers['content-type'] === undefined) request.body = {};
  done();
}

function refuseOtherTypes(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', (_request, _body, done) => done(new AppError('CONTENT_TYPE_UNSUPPORTED')));
}

/** JSON objects in UTF-8. Keys such as `__proto__` are dropped like any unknown key. */
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

/** HTML forms in UTF-8. */
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

/** The bytes of a body of any type, for a foreign handler that reads them itself. */
function readBytes(scope: FastifyInstance): void {
  scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
}

/** The body is not read. */
function readNothing(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
}

const readers: Record<BodySpec['kind'], (scope: FastifyInstance) => void> = {
  json: readJson,
  form: readForm,
  bytes: readBytes,
  none: readNothing,
};

/** Every kind of body. */
export const bodyKinds = ['json', 'form', 'bytes', 'none'] as const satisfies readonly BodySpec['kind'][];

/** Prepares a scope of the server for routes whose bodies are of this kind. */
export function readBodies(scope: FastifyInstance, kind: BodySpec['kind']): void {
  scope.removeAllContentTypeParsers();
  readers[kind](scope);
}
