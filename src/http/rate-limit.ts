import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import { type Budget, type ChangedLimits, defaultBudget, type LimitName } from '../settings/limits.ts';
import type { LimitKey } from './client-address.ts';
import type { Windows } from './windows.ts';

/** How often a route may be called. Routes whose limits have the same name share one budget. */
export interface Limit {
  name: LimitName;
  /** The error for a client that exceeds the limit. */
  error: ErrorName;
}

export interface LimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Counts one request for each of the client's keys. With RATE_LIMITS=off, nothing is counted and the budget is
   * always full.
   *
   * @returns the state of the budget that has the fewest requests left
   * @throws AppError with the limit's error and the seconds to wait, if one of the budgets is used up
   */
  consume(limit: Limit, keys: readonly LimitKey[]): Promise<LimitState>;
}

/** Returns the budget of a limit: the one in the settings, or the default. */
export const budgetOf = (name: LimitName, changed: ChangedLimits | 'off'): Budget =>
  (changed === 'off' ? undefined : changed[name]) ?? defaultBudget(name);

/**
 * Creates the rate limiter.
 *
 * @param windows counts the requests
 * @param changed budgets that replace the default ones
 * @param onRefused called with the name of the limit whenever a client exceeds it
 */
export function createRateLimiter(
  windows: Windows,
  changed: ChangedLimits = {},
  onRefused: (name: LimitName) => void = () => undefined,
): RateLimiter {
  return {
    consume: async ({ name, error }, keys) => {
      const { points, windowSeconds } = budgetOf(name, changed);
      let tightest: LimitState = { limit: points, remaining: points, resetSeconds: windowSeconds };
      for (const { key, factor } of keys) {
        const { uses, leftMs } = await windows.count(`${name}:${key}`, windowSeconds * 1000);
        const resetSeconds = Math.max(1, Math.ceil(leftMs / 1000));
        const remaining = points * factor - uses;
        if (remaining < 0) {
          onRefused(name);
          throw new AppError(error, { retryAfterSeconds: resetSeconds, limit: points });
        }
        if (remaining < tightest.remaining) tightest = { limit: points, remaining, resetSeconds };
      }
      return tightest;
    },
  };
}

/** The limiter for RATE_LIMITS=off. */
export const noRateLimiter: RateLimiter = {
  consume: async ({ name }) => {
    const { points, windowSeconds } = budgetOf(name, 'off');
    return { limit: points, remaining: points, resetSeconds: windowSeconds };
  },
};
