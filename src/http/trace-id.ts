import type { IncomingHttpHeaders } from 'node:http';

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/**
 * Returns the trace id of a request, as a field for log lines. Returns an empty object if the request has no valid
 * traceparent header.
 *
 * @see W3C Trace Context, §3.2
 */
export function traceFields({ traceparent }: IncomingHttpHeaders): { trace_id?: string } {
  if (typeof traceparent !== 'string') return {};
  const [, version, traceId = '', parentId = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  const isValid = version !== 'ff' && (version !== '00' || more === undefined);
  return isValid && /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? { trace_id: traceId } : {};
}
