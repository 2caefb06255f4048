import { expect, test } from 'vitest';
import { parseInstantOrSpan, parseZonedInstant } from './instant.ts';

const NOW = Date.UTC(2026, 10, 29, 14);

test.each<[string, number | undefined]>([
  ['2026-11-29T13:50:01.123Z', Date.UTC(2026, 10, 29, 13, 50, 1, 123)],
  ['2026-11-29T13:50:01.123456Z', Date.UTC(2026, 10, 29, 13, 50, 1, 123)],
  ['2026-11-29T13:50:01+02:00', Date.UTC(2026, 10, 29, 11, 50, 1)],
  ['2026-11-29T13:50-0130', Date.UTC(2026, 10, 29, 15, 20)],
  ['2026-11-29T13:50', Date.UTC(2026, 10, 29, 13, 50)],
  ['2026-11-29', Date.UTC(2026, 10, 29)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2026-02-29', undefined],
  ['2026-13-01', undefined],
  ['2026-11-29T24:00', undefined],
  ['2026-11-29T12:60', undefined],
  ['2026-11-29 13:50', undefined],
  ['29.11.2026', undefined],
  ['1764424201', undefined],
  ['', undefined],
  ['30m', NOW - 30 * 60_000],
  ['24h', NOW - 24 * 3_600_000],
  ['7d', NOW - 7 * 86_400_000],
  ['0d', NOW],
  ['-7d', undefined],
  ['1.5h', undefined],
  ['7w', undefined],
  ['7D', undefined],
])('the time or period %s is parsed as %s', (text, at) => {
  expect(parseInstantOrSpan(text, NOW)).toBe(at);
});

test.each<[string, number | undefined]>([
  ['2026-11-29T13:50:01.123Z', Date.UTC(2026, 10, 29, 13, 50, 1, 123)],
  ['2026-11-29T13:50-0130', Date.UTC(2026, 10, 29, 15, 20)],
  ['2026-11-29T13:50', undefined],
  ['2026-11-29', undefined],
  ['2026-02-29T00:00Z', undefined],
  ['2026-11-29T24:00Z', undefined],
  ['2026-11-29T12:00Z ', undefined],
])('where a time must have an offset from UTC, %s is parsed as %s', (text, at) => {
  expect(parseZonedInstant(text)).toBe(at);
});
