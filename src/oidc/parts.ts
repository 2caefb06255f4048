import { type Cleaner, earlierTime } from '../db/cleaning.ts';
import type { Database } from '../db/handle.ts';
import { LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { SharedWork } from '../lib/shared-work.ts';
import { deleteExpiredDeviceCodes } from './device-queries.ts';
import { endExpiredGrants } from './end-expired.ts';
import { deleteRetiredKeys } from './key-queries.ts';
import { createLibrary } from './library.ts';
import { deleteExpiredGrants } from './queries.ts';
import { deleteExpiredOidcTokens, deleteExpiredRequests } from './token-queries.ts';

const SWEEP_MS = 20 * SECOND_MS;

/** Creates the caches and the library that a process needs for OpenID Connect. */
export const createOpenIdConnect = ({
  changes,
}: Pick<Database, 'changes'>): Pick<
  Services,
  'oidcKeyCache' | 'firstKeys' | 'grantCache' | 'accessTokenCache' | 'openIdConnect'
> => ({
  oidcKeyCache: new LookupCache(changes, 1),
  firstKeys: new SharedWork(),
  grantCache: new LookupCache(changes),
  accessTokenCache: new LookupCache(changes),
  openIdConnect: createLibrary(),
});

/** The queries that delete expired rows of OpenID Connect. */
export const oidcCleaners: readonly Cleaner[] = [
  deleteExpiredOidcTokens,
  deleteExpiredGrants,
  deleteExpiredRequests,
  deleteExpiredDeviceCodes,
  deleteRetiredKeys,
];

/** Starts to end the grants of expired sessions at regular intervals. Returns a function that stops it. */
export function startSweeping(services: Services): () => void {
  const onFailure = (error: unknown) => services.log.warn({ err: error }, 'failed to end grants of expired sessions');
  const { database, clock } = services;
  const sweep = async () => endExpiredGrants(services, await earlierTime({ database, now: clock.now }));
  const timer = setInterval(() => void sweep().catch(onFailure), SWEEP_MS).unref();
  return () => clearInterval(timer);
}
