import type { Application } from '../applications/application.ts';
import { mayUseApplication } from '../applications/may-use-application.ts';
import { findRegistry } from '../applications/registry.ts';
import type { Handle } from '../db/handle.ts';
import type { LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { parseList } from '../users/user.ts';
import { type Grant, type GrantKind, parseScopes, toGrantUser } from './grant.ts';
import { grantById } from './queries.ts';

declare module '../http/route.ts' {
  interface Services {
    /** The grants in memory, by id. */
    grantCache: LookupCache<Grant>;
  }
}

/** A grant that counts, and the application that has it. */
export interface ActiveGrant {
  grant: Grant;
  application: Application;
}

const kinds: readonly GrantKind[] = ['session', 'offline', 'device', 'consent'];

async function readGrant(handle: Handle, id: string): Promise<Grant | undefined> {
  const row = await grantById.first(handle, { id });
  if (!row) return undefined;
  return {
    id: row.id,
    kind: kinds.find((kind) => kind === row.kind) ?? 'consent',
    key: row.key,
    user: toGrantUser(row.user_id, row),
    sessionId: row.session_id,
    sessionExpiresAt: row.session_expires_at,
    sid: row.sid,
    scopes: parseScopes(row.scopes),
    resource: row.resource,
    nonce: row.nonce,
    authenticatedAt: row.authenticated_at,
    amr: parseList(row.amr),
    expiresAt: row.expires_at,
  };
}

/** The rows that a grant was read from, and that it changes with. */
const rowsOf = ({ id, user, sessionId }: Grant): string[] => [
  `oidc_grants ${id}`,
  `users ${user.id}`,
  ...(sessionId === null ? [] : [`sessions ${sessionId}`]),
];

/**
 * Finds a grant that gives access now: it has not ended, nor has the session that it is bound to; its user is active and
 * may use its application, which is active.
 *
 * It stays in memory until one of these changes, and is used while every change is known.
 *
 * @throws DatabaseError if it has to be read and the database is lost
 * @see docs/decisions/0011-change-feed.md
 */
export async function findGrant(
  services: Pick<Services, 'database' | 'grantCache' | 'registryCache' | 'clock'>,
  id: string,
): Promise<ActiveGrant | undefined> {
  const grant = await services.grantCache.find(id, async () => {
    const value = await readGrant(services.database, id);
    return value && { value, rows: rowsOf(value) };
  });
  const now = services.clock.now();
  if (!grant || grant.kind === 'consent' || grant.expiresAt <= now) return undefined;
  if (grant.kind === 'session' && (grant.sessionExpiresAt ?? 0) <= now) return undefined;
  const application = (await findRegistry(services)).active.get(grant.key);
  return application && mayUseApplication(grant.user, application) ? { grant, application } : undefined;
}
