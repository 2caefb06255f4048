import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';
import type { TracedUser } from '../http/request-trace.ts';
import { knownSession } from '../sessions/guards.ts';

/** Returns who made a request, or undefined if neither a guard nor the handler has identified the caller. */
export async function userOfRequest(request: FastifyRequest): Promise<TracedUser | undefined> {
  const caller = request.apiToken ?? (await knownSession(request));
  return caller && { userId: caller.userId, username: caller.username };
}

/** Admits calls only if the setting dbLogs allows resets. */
export const requireDbLogs: Guard = {
  name: 'dbLogs=true',
  errors: ['DIAGNOSTICS_LOCKED'],
  check: ({ services }) => {
    if (services.settings.dbLogs) return undefined;
    throw new AppError('DIAGNOSTICS_LOCKED');
  },
};

/**
 * Refuses a reset that a page of another site requests. A reset is a GET request that changes something, and the
 * general cross-site check admits every GET request.
 */
export const refuseForeignReset: Guard = {
  name: 'for reset=1, a request from a page of this service',
  errors: ['CROSS_SITE_REQUEST'],
  check: ({ request, query }) => {
    const site = request.headers['sec-fetch-site'] ?? 'none';
    const isReset = typeof query === 'object' && query !== null && 'reset' in query && query.reset === '1';
    if (!isReset || site === 'none' || site === 'same-origin') return undefined;
    throw new AppError('CROSS_SITE_REQUEST');
  },
};
