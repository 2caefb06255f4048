import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import type { AnyRoute } from './route.ts';

/** The errors that no route lists, because every route can answer with them. */
export const commonErrors: readonly ErrorName[] = [
  'URL_INVALID',
  'BODY_INVALID',
  'BODY_TOO_LARGE',
  'CONTENT_TYPE_UNSUPPORTED',
  'MISSING_REQUIRED_FIELD',
  'FIELD_INVALID',
  'CROSS_SITE_REQUEST',
  'HTTPS_REQUIRED',
  'HOST_NOT_ALLOWED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'INTERNAL_ERROR',
  'OVERLOADED',
];

/** Returns the guards of a route, in the order in which they are checked. */
export const guardsOf = ({ access = [], guards = [] }: AnyRoute) => [...access, ...guards];

/**
 * Returns all errors that a route declares, sorted by number: those of its handler, guards, fields and limit, and
 * its error for a fault.
 */
export function errorsOf(route: AnyRoute): ErrorName[] {
  const ofFields = Object.values(route.fieldErrors ?? {}).flatMap((field) => [
    field?.missing,
    field?.invalid,
    field?.wrongType,
  ]);
  const ofGuards = guardsOf(route).flatMap(({ errors }) => errors);
  const all = [...(route.errors ?? []), ...ofGuards, ...ofFields, route.limit?.error, route.failure];
  const names = new Set(all.filter((name) => name !== undefined));
  return [...names].sort((a, b) => errorRegistry[a].number - errorRegistry[b].number);
}
