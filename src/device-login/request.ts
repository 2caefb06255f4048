/** Seconds that a request is open, and between two polls (RFC 8628 §3.2). */
export const LIFE_SECONDS = 900;
export const INTERVAL_SECONDS = 5;

/** What a request's column says. */
const stored = ['pending', 'approved', 'denied', 'completed'] as const;
type Stored = (typeof stored)[number];

/** Where a request stands: what was decided, unless its time ran out, or its profile was disabled, before the end. */
export type RequestState = Stored | 'expired';

interface RequestRow {
  status: string;
  expires_at: number;
  disabled_at: number | null;
}

/** Where a request stands now. A status that this program does not know is one that gives nothing. */
export function stateOf({ status, expires_at, disabled_at }: RequestRow, now: number): RequestState {
  const known = stored.find((one) => one === status) ?? 'denied';
  const isOpen = known === 'pending' || known === 'approved';
  return isOpen && (expires_at <= now || disabled_at !== null) ? 'expired' : known;
}
