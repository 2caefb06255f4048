/** The parameters that a request may contain several times (RFC 8707 §2). */
const REPEATABLE = ['resource'];

/**
 * Finds a parameter that a request contains more than once. Unknown parameters count too.
 *
 * @returns the description for the error `invalid_request`; undefined if there is no such parameter
 * @see RFC 6749 §3.1, §3.2
 */
export function describeRepeated(fields: object): string | undefined {
  const repeated = Object.entries(fields).find(([name, value]) => Array.isArray(value) && !REPEATABLE.includes(name));
  return repeated && `'${repeated[0].replace(/[^\w.-]/g, '?').slice(0, 64)}' parameter must not be provided twice`;
}
