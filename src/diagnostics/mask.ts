import type { ObservedQuery } from '../db/handle.ts';

export const HIDDEN = '[hidden]';

/**
 * The names of parameters whose texts are shown. All others may be secret, such as `key`, with
 * which a sign-in looks up its user, because people sometimes type their password into the field of the username.
 */
const harmlessNames = new Set([
  'username',
  'username_key',
  'full_name',
  'role',
  'address',
  'userAgent',
  'allowed_apps',
  'apps',
  'method',
  'name',
  'clientName',
  'scope',
  'status',
  'provider',
]);

/** Patterns of secrets that are hidden under any name: hashes, ids, tokens, sealed texts, codes. */
const secretShapes = [
  /[0-9a-f]{32}/i,
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i,
  /[\w-]{40}/,
  /\$argon2/i,
  /tok_/i,
  /^v\d+\./,
  /^\d{6,8}$/,
  /^[A-Z2-9]{4}-?[A-Z2-9]{4}$/,
];

function isHarmless(text: string, params: object): boolean {
  if (text === '') return true;
  if (secretShapes.some((shape) => shape.test(text))) return false;
  const names = Object.entries(params).filter(
    ([, value]) => value === text || (Array.isArray(value) && value.includes(text)),
  );
  return names.length > 0 && names.every(([name]) => harmlessNames.has(name));
}

/**
 * Returns one value in a form that is safe to show. Numbers are shown, because they are ids, counts and times. Texts are shown
 * only if they are known to be harmless.
 */
function maskValue(value: unknown, query: ObservedQuery): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' && isHarmless(value, query.params) ? value : HIDDEN;
}

/** Returns the values of a query with every secret hidden. */
export function maskValues(query: ObservedQuery): unknown[] {
  return query.values.map((value) => maskValue(value, query));
}

/** Returns an error message without the texts that `maskValues` hides, because databases repeat values in messages. */
export function maskError(error: unknown, query: ObservedQuery): string {
  const message = error instanceof Error ? error.message : String(error);
  const hidden = query.values.filter((value) => typeof value === 'string' && maskValue(value, query) === HIDDEN);
  return hidden.reduce<string>((text, value) => text.replaceAll(String(value) || '\0', HIDDEN), message);
}
