import { expect, test } from 'vitest';
import { traceFields } from './trace-id.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test.each([
  [`00-${TRACE}-00f067aa0ba902b7-01`, TRACE],
  [`01-${TRACE}-00f067aa0ba902b7-01-more`, TRACE],
  [`00-${TRACE}-00f067aa0ba902b7-01-more`, undefined],
  [`ff-${TRACE}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE}-00f067aa0ba902b7-01, 00-${TRACE}-00f067aa0ba902b7-01`, undefined],
  [undefined, undefined],
])('the traceparent header %s has the trace id %s', (traceparent, traceId) => {
  expect(traceFields({ traceparent })).toEqual(traceId === undefined ? {} : { trace_id: traceId });
});
