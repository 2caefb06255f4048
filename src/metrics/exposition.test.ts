import { expect, test } from 'vitest';
import { contentTypeFor } from './exposition.ts';

const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

test.each([
  [undefined, TEXT],
  ['*/*', TEXT],
  ['text/plain', TEXT],
  ['application/json', TEXT],
  ['application/openmetrics-text', OPEN],
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5',
    OPEN,
  ],
  ['application/openmetrics-text;q=0.5, text/plain', TEXT],
  ['application/openmetrics-text;q=0.5, text/*;q=0.5', TEXT],
  ['application/openmetrics-text;q=0', TEXT],
  ['Application/OpenMetrics-Text; version=1.0.0; Q=0.9, */*;q=0.1', OPEN],
])('the Accept header %s selects the content type %s', (accept, type) => {
  expect(contentTypeFor(accept)).toBe(type);
});
