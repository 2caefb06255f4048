import { DAY_MS, MINUTE_MS } from './clock.ts';

const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Parses a time in ISO 8601. Without an offset it is UTC. Without a time of day it is the beginning of the day.
 *
 * @returns milliseconds since the epoch; undefined for other text, or for a day that does not exist
 */
export function parseInstant(text: string): number | undefined {
  const [, day, time = '00:00', offset = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined || time.startsWith('24')) return undefined;
  const isDay = new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
  const at = Date.parse(`${day}T${time}${offset.replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
  return isDay && !Number.isNaN(at) ? at : undefined;
}

/**
 * Parses a time in ISO 8601 that has a time of day and an offset.
 *
 * @returns milliseconds since the epoch; undefined for other text
 */
export const parseZonedInstant = (text: string): number | undefined =>
  /T.*(Z|[+-]\d\d:?\d\d)$/.test(text) ? parseInstant(text) : undefined;

const UNITS: Record<string, number> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };

/**
 * Parses a time in ISO 8601, or a period before `now` such as `30m`, `24h` or `7d`.
 *
 * @returns milliseconds since the epoch; undefined for other text
 */
export function parseInstantOrSpan(text: string, now: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? parseInstant(text) : now - Number(count) * (UNITS[unit] ?? 0);
}

/** Converts a time to ISO 8601. Returns null for null. */
export const isoOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
