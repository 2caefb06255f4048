import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLog, createRequestLog, type RequestLine } from './log.ts';

test('each line has the time at which it was logged, in ISO 8601', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const bounds = [Date.now()];

  for (let number = 0; number < 3; number += 1) {
    log.info({ number }, 'a line');
    await sleep(5);
    bounds.push(Date.now());
  }

  const times = lines.map((line): string => JSON.parse(line).time);
  expect(times.map((time) => new Date(time).toISOString())).toEqual(times);
  times.forEach((time, number) => {
    expect(Date.parse(time)).toBeGreaterThanOrEqual(bounds[number] ?? Number.NaN);
    expect(Date.parse(time)).toBeLessThanOrEqual(bounds[number + 1] ?? Number.NaN);
  });
});

test('the line of a request is the same as one of pino, with the common fields of its logger', () => {
  const lines: string[] = [];
  const output = { write: (line: string) => lines.push(line) };
  const log = createLog('info', output).child({ worker: 2 });
  const logRequest = createRequestLog(log, output);
  const line: RequestLine = {
    request_id: 'abcdef-1',
    method: 'GET',
    route: '/authsvc/api/account/tokens/:id',
    status: 200,
    ms: 0.4,
    address: 'fe80::1%"\\',
  };
  const withoutTime = (text: string | undefined) => text?.replace(/"time":"[^"]+"/, '');

  for (const trace of [{}, { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' }]) {
    lines.length = 0;
    logRequest({ ...line, ...trace });
    log.info({ ...line, ...trace }, 'request');
    expect(withoutTime(lines[0])).toBe(withoutTime(lines[1]));
  }
  expect(lines[0]).toContain('"worker":2');
});

test('a logger that logs only warnings logs no request', () => {
  const lines: string[] = [];
  const output = { write: (line: string) => lines.push(line) };
  const line: RequestLine = { request_id: 'a', method: 'GET', route: '/', status: 200, ms: 1, address: '127.0.0.1' };

  createRequestLog(createLog('warn', output), output)(line);

  expect(lines).toEqual([]);
});
