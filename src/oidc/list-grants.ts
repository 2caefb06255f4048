import type { Handle } from '../db/handle.ts';
import { type GrantKind, parseScopes } from './grant.ts';
import { listedGrants } from './list-queries.ts';

/**
 * Access that a user gave an application, as lists show it. All sign-ins to an application within one session are
 * one entry.
 */
export interface ListedGrant {
  ref: string;
  kind: GrantKind;
  key: string;
  applicationName: string;
  username: string;
  scopes: string[];
  createdAt: number;
  lastUsedAt: number;
}

interface Wanted {
  /** The user whose grants are listed; undefined for all users. */
  userId?: number | undefined;
  /** The key of the application whose grants are listed; undefined for all applications. */
  key?: string | undefined;
}

const kinds: readonly GrantKind[] = ['session', 'offline', 'device', 'consent'];

/** Lists the grants that are in use and the consents, newest first. */
export async function listGrants(handle: Handle, { userId, key }: Wanted, now: number): Promise<ListedGrant[]> {
  const listed = new Map<string, ListedGrant>();
  for (const row of await listedGrants.all(handle, { userId, key, now })) {
    const name = row.kind === 'session' ? `${row.key} ${row.sid}` : row.id;
    const newer = listed.get(name);
    const scopes = parseScopes(row.scopes);
    listed.set(name, {
      ref: row.id,
      kind: kinds.find((kind) => kind === row.kind) ?? 'consent',
      key: row.key,
      applicationName: row.application_name,
      username: row.username,
      scopes: [...new Set([...(newer?.scopes ?? []), ...scopes])],
      createdAt: row.created_at,
      lastUsedAt: Math.max(newer?.lastUsedAt ?? 0, row.last_used_at ?? 0),
    });
  }
  return [...listed.values()].sort((a, b) => b.createdAt - a.createdAt);
}

/** Converts a grant for the lists of users and operators. */
export const toListedGrant = ({ ref, kind, key, applicationName, scopes, createdAt, lastUsedAt }: ListedGrant) => ({
  ref,
  kind,
  app: { key, name: applicationName },
  scopes,
  created_at: new Date(createdAt).toISOString(),
  last_used_at: new Date(lastUsedAt).toISOString(),
});
