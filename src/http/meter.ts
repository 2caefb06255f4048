import type { ErrorName } from '../errors/registry.ts';
import type { LimitName } from '../settings/limits.ts';

interface MeteredRequest {
  method: string;
  /** The path pattern of the route. */
  route: string;
}

/** What lacked capacity when a request was refused. */
export type ShedReason = 'hash_queue' | 'capacity' | 'database';

/** Counts requests for the metrics. */
export interface HttpMeter {
  /** @param ms milliseconds until the answer was sent */
  answered(request: MeteredRequest & { status: number }, ms: number): void;
  /** Counts a request whose client disconnected before the answer. */
  aborted(request: MeteredRequest): void;
  refused(reason: ErrorName, shed: ShedReason | undefined): void;
  limited(limit: LimitName): void;
}
