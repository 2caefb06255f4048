import { expect, test } from 'vitest';
import { checkNode } from './check-node.ts';

const at = (date: string) => Date.parse(date);

test.each([
  ['20.18.9', '2026-01-01', 'failed'],
  ['18.20.0', '2026-01-01', 'failed'],
  ['20.19.0', '2026-01-01', 'ok'],
  ['20.19.0', '2026-04-30T12:00:00Z', 'ok'],
  ['20.19.0', '2026-05-02', 'warning'],
  ['23.0.0', '2026-01-01', 'warning'],
  ['24.1.0', '2026-11-29', 'ok'],
  ['99.0.0', '2040-01-01', 'ok'],
])('for Node.js %s on %s, the result is %s', (version, date, status) => {
  expect(checkNode(version, '20.19', at(date)).status).toBe(status);
});
