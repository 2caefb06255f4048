import { findRegistry } from '../applications/registry.ts';
import type { Services } from '../http/route.ts';
import { queueLogouts } from './logout-queue.ts';
import { deleteGrantsOfEndedSessions, deleteGrantsOfExpiredSessions } from './queries.ts';

/** Returns whether any active application has a back-channel logout URI. */
export async function hasLogoutUri(services: Pick<Services, 'database' | 'registryCache'>): Promise<boolean> {
  const { active } = await findRegistry(services);
  return [...active.values()].some(({ backchannelLogoutUri }) => backchannelLogoutUri !== null);
}

/**
 * Ends the grants of sessions that expired before `now`, and notifies their applications. Without this function,
 * nothing would happen when a session expires.
 */
export async function endExpiredGrants(
  services: Pick<Services, 'database' | 'registryCache' | 'outbox' | 'clock'>,
  now: number,
): Promise<void> {
  const { database } = services;
  const { active } = await findRegistry(services);
  if (![...active.values()].some(({ redirectUris }) => redirectUris.length > 0)) return;
  await database.transaction(async (tx) => {
    const expired = await deleteGrantsOfExpiredSessions.all(tx, { now });
    const ended = await deleteGrantsOfEndedSessions.all(tx, {});
    await queueLogouts(tx, services, [...expired, ...ended]);
  });
}
