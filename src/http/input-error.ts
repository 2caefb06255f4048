import type { FastifyError } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import type { AnyRoute } from './route.ts';

type Issue = NonNullable<FastifyError['validation']>[number];
type Content = 'nothing' | 'empty' | 'something';

/**
 * Returns the field that violates a schema, and what it contains: nothing (it is absent or null), an empty text, or
 * something else.
 */
function fieldOf(issue: Issue, input: unknown): { field: string; content: Content } {
  const missing = issue.params.missingProperty;
  if (issue.keyword === 'required' && typeof missing === 'string') return { field: missing, content: 'nothing' };
  const field = issue.instancePath.split('/')[1] ?? '';
  const value = typeof input === 'object' && input !== null && field in input ? Reflect.get(input, field) : undefined;
  if (value === null) return { field, content: 'nothing' };
  return { field, content: value === '' ? 'empty' : 'something' };
}

/**
 * Returns whether the body must have this field. For an optional field, null counts as a wrong value and not as
 * missing.
 */
function isRequired(route: AnyRoute | undefined, field: string): boolean {
  const body = route?.body;
  const names: unknown = body && 'schema' in body ? Reflect.get(body.schema, 'required') : undefined;
  return Array.isArray(names) && names.includes(field);
}

/**
 * Returns the error for input that violates a schema of the route, with the name of the wrong field.
 *
 * An empty text in a required field counts as a missing field if the route has an error for a missing one, because
 * a form sends an empty field as an empty text.
 *
 * @param error the validation error from Fastify
 * @returns undefined if the error is not a validation error
 */
export function inputError(error: FastifyError, body: unknown, route: AnyRoute | undefined): AppError | undefined {
  const [issue] = error.validation ?? [];
  if (!issue) return undefined;
  const isBody = error.validationContext === 'body';
  const judged = isBody ? route?.bodyError?.(body) : undefined;
  if (judged) return judged;
  const { field, content } = fieldOf(issue, isBody ? body : undefined);
  if (!field) return new AppError('BODY_INVALID', { cause: error });
  const { missing, invalid, wrongType } = route?.fieldErrors?.[field] ?? {};
  const cause = { field, cause: error };
  const isMissing = content === 'nothing' && (issue.keyword === 'required' || isRequired(route, field));
  if (content === 'nothing' && missing) return new AppError(missing, cause);
  if (isMissing) return new AppError('MISSING_REQUIRED_FIELD', cause);
  if (content === 'empty' && missing) return new AppError(missing, cause);
  const isWrongType = issue.keyword === 'type' && wrongType !== undefined;
  return new AppError((isWrongType ? wrongType : invalid) ?? 'FIELD_INVALID', cause);
}
