/** Seconds until a request expires, and seconds between two polls (RFC 8628 §3.2). */
export const LIFE_SECONDS = 900;
export const INTERVAL_SECONDS = 5;

/** The statuses of requests that the database stores. */
const stored = ['pending', 'approved', 'denied', 'completed'] as const;
type Stored = (typeof stored)[number];

/** The state of a request. It is `expired` if the time ran out or the profile was disabled before completion. */
export type RequestState = Stored | 'expired';

interface RequestRow {
  status: string;
  expires_at: number;
  disabled_at: number | null;
}

/** Returns the current state of a request. An unknown status counts as denied, so it yields no token. */
export function stateOf({ status, expires_at, disabled_at }: RequestRow, now: number): RequestState {
  const known = stored.find((one) => one === status) ?? 'denied';
  const isOpen = known === 'pending' || known === 'approved';
  return isOpen && (expires_at <= now || disabled_at !== null) ? 'expired' : known;
}
