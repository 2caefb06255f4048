import type { ErrorName } from '../errors/registry.ts';
import type { LimitName } from '../settings/limits.ts';

interface MeteredRequest {
  method: string;
  /** The pattern of its route. */
  route: string;
}

/** Why a request was refused for want of capacity. */
export type ShedReason = 'hash_queue' | 'capacity' | 'database';

/** Counts requests. */
export interface HttpMeter {
  /** @param ms how long the answer took */
  answered(request: MeteredRequest & { status: number }, ms: number): void;
  /** The client left before the answer. */
  aborted(request: MeteredRequest): void;
  refused(reason: ErrorName, shed: ShedReason | undefined): void;
  limited(limit: LimitName): void;
}
