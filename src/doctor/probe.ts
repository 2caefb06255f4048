import { MINUTE_MS } from '../lib/clock.ts';
import type { Sealer } from '../lib/sealing.ts';

const CODE = 'doctor probe';
const ANSWER = 'answer to a doctor probe';
/** How far the clock of the probing machine may be ahead of the service's clock. */
const TOLERANCE_MS = 5000;

/** How a request arrived at the service. */
export interface Arrival {
  /** Protocol, host and client address, as the service determined them. */
  protocol: string;
  host: string;
  address: string;
  /** The address from which the connection came, and whether its forwarded headers are trusted. */
  peer: string;
  isTrusted: boolean;
  /** Headers that a proxy sent; null if it sent none. */
  forwardedFor: string | null;
  forwardedProto: string | null;
  forwardedHost: string | null;
}

/** Creates the code of a probe. Only a service with the same secret accepts it. */
export const sealCode = (sealer: Sealer, id: string, now: number): string =>
  sealer.seal(CODE, JSON.stringify({ id, at: now }));

function parse(text: string | undefined): Record<string, unknown> {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the id in a code for one minute after its creation. Returns undefined for any other text. */
export function openCode(sealer: Sealer, code: string, now: number): string | undefined {
  const { id, at } = parse(sealer.open(CODE, code));
  const age = typeof at === 'number' ? now - at : Number.NaN;
  return typeof id === 'string' && age >= -TOLERANCE_MS && age <= MINUTE_MS ? id : undefined;
}

export const sealArrival = (sealer: Sealer, id: string, arrival: Arrival): string =>
  sealer.seal(ANSWER, JSON.stringify({ id, arrival }));

const isArrival = (value: unknown): value is Arrival => typeof value === 'object' && value !== null && 'peer' in value;

/** Returns the service's reply to the code with this id, or undefined for any other text. */
export function openArrival(sealer: Sealer, id: string, sealed: string): Arrival | undefined {
  const answer = parse(sealer.open(ANSWER, sealed));
  return answer.id === id && isArrival(answer.arrival) ? answer.arrival : undefined;
}
