import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '../errors/app-error.ts';

/** How many requests may be under way at once, those aside that are always answered. */
const MAX_UNDER_WAY = 1000;
const LOOK_EVERY_MS = 100;
/** How late the event loop may be, two looks in a row: one long step alone is no overload. */
const LATE_MS = 1000;
const RETRY_AFTER_SECONDS = 1;

/** Milliseconds: of a steady clock, and of processor time that the process has used. */
interface Theme {
  at: number;
  cpu: number;
}

/**
 * Tells an event loop that cannot follow from one that is held up once, and from a clock that was moved or a machine
 * that slept: then the process did not work.
 */
export function createLateness() {
  let last: Theme | undefined;
  let lateLooks = 0;
  return {
    /** Called every 100 ms, as far as the event loop allows. */
    look(now: Theme): void {
      const isLate =
        last !== undefined && now.at - last.at - LOOK_EVERY_MS > LATE_MS && now.cpu - last.cpu > LATE_MS / 2;
      lateLooks = isLate ? lateLooks + 1 : 0;
      last = now;
    },
    isLate: () => lateLooks >= 2,
  };
}

function lookNow(): Theme {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), cpu: (user + system) / 1000 };
}

/** Refuses what is more than the process can do. */
export interface OverloadGuard {
  /** Lets one request in until its response is done or its client gone. Throws AppError OVERLOADED. */
  enter(response: ServerResponse): void;
  stop(): void;
}

/**
 * Makes the guard of a process.
 *
 * Why     past its capacity a process that takes every request answers none in time. Refusing is cheap and says when
 *         to come back; what depends on this service for each of its own requests (is this session valid?) and what
 *         watches it are let through, so the guard is not asked about those.
 * Source  RFC 9110 §15.6.4; ASVS 5.0 15.2.2
 */
export function createOverloadGuard(log: FastifyBaseLogger): OverloadGuard {
  const lateness = createLateness();
  let underWay = 0;
  let refused = 0;
  const timer = setInterval(() => {
    lateness.look(lookNow());
    if (refused > 0) log.warn({ refused, underWay }, 'more requests than the process can answer');
    refused = 0;
  }, LOOK_EVERY_MS);
  timer.unref();
  const leave = () => {
    underWay -= 1;
  };
  return {
    enter: (response) => {
      if (underWay >= MAX_UNDER_WAY || lateness.isLate()) {
        refused += 1;
        throw new AppError('OVERLOADED', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      }
      underWay += 1;
      response.once('close', leave);
    },
    stop: () => clearInterval(timer),
  };
}
