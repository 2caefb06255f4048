import { expect, test } from 'vitest';
import { htmlReply } from '../http/reply.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { RequestCounts } from './request-counts.ts';

const route = (path: string): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    operationId: path,
    summary: path,
    kind: 'page',
    replies: { 200: htmlReply },
    handle: async () => {
      throw new Error('is not called');
    },
  });

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const STATUSES = [200, 302, 404, 500];

test('many paths, methods and statuses keep the number of series bounded, and every request is counted', () => {
  const paths = Array.from({ length: 50 }, (_none, at) => `/page-${at}`);
  const counts = new RequestCounts(paths.map(route));

  for (const path of [...paths, '/unknown', '/unknown-too'])
    for (const method of [...METHODS, 'PURGE', 'REPORT'])
      for (const status of STATUSES) counts.answered(path, method, status, 5);

  const [requests] = counts.families();
  const values = requests?.values ?? [];
  expect(values.length).toBeLessThanOrEqual(340);
  expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(52 * 9 * 4);
  expect(values).toContainEqual({ value: 1, labels: { method: 'GET', route: '/page-0', status: '3xx' } });
  expect(values).toContainEqual({ value: 2, labels: { method: 'other', route: '/page-0', status: '3xx' } });
  expect(values.some(({ labels }) => String(labels.route).startsWith('/unknown'))).toBe(false);
});
