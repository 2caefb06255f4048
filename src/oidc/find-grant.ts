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
    /** Cached grants, by id. */
    grantCache: LookupCache<Grant>;
  }
}

/** A grant that currently gives access, and its application. */
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

/** Returns the rows that a grant is read from. A change to one of them removes the grant from the cache. */
const rowsOf = ({ id, user, sessionId }: Grant): string[] => [
  `oidc_grants ${id}`,
  `users ${user.id}`,
  ...(sessionId === null ? [] : [`sessions ${sessionId}`]),
];

/**
 * Finds a grant that currently gives access. The grant must not have ended or expired. If it is bound to a session,
 * the session must be active. Its application must be active. Its user must be active and may use the application.
 *
 * The grant is cached until one of its rows changes. The cache is used only while this process is certain to
 * receive all changes.
 *
 * @throws DatabaseError if the grant must be read and the database is unavailable
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
