import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import type { TracedUser } from '../http/request-trace.ts';
import { describeGuard, type Guard } from '../http/route.ts';
import { knownSession } from '../sessions/guards.ts';

/** Who made a request, where a guard or handler of it has asked. */
export async function userOfRequest(request: FastifyRequest): Promise<TracedUser | undefined> {
  const caller = request.apiToken ?? (await knownSession(request));
  return caller && { userId: caller.userId, username: caller.username };
}

/** Lets calls pass where the setting dbLogs allows the reset. Throws DIAGNOSTICS_LOCKED. */
export const requireDbLogs: Guard = describeGuard('setting dbLogs', ({ services }) => {
  if (services.settings.dbLogs) return undefined;
  throw new AppError('DIAGNOSTICS_LOCKED');
});

/**
 * Refuses a GET that would change something and that another site made: the check of every request lets reads pass.
 * Throws CROSS_SITE_REQUEST.
 */
export const refuseForeignReset: Guard = describeGuard('for a reset, a page of this service', ({ request, query }) => {
  const site = request.headers['sec-fetch-site'] ?? 'none';
  const isReset = typeof query === 'object' && query !== null && 'reset' in query && query.reset === '1';
  if (!isReset || site === 'none' || site === 'same-origin') return undefined;
  throw new AppError('CROSS_SITE_REQUEST');
});
