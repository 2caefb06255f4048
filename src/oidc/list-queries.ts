import { defineDynamicQuery } from '../db/query.ts';
import { grantColumns } from './queries.ts';

/**
 * Lists the grants that are in use, newest first. `userId` and `key` restrict the list to one user or one
 * application.
 */
export const listedGrants = defineDynamicQuery(
  'oidcGrants.list',
  (db, { userId, key, now }: { userId: number | undefined; key: string | undefined; now: number }) =>
    db
      .selectFrom('oidc_grants')
      .innerJoin('users', 'users.id', 'oidc_grants.user_id')
      .innerJoin('applications', 'applications.id', 'oidc_grants.application_id')
      .leftJoin('sessions', 'sessions.id', 'oidc_grants.session_id')
      .select(grantColumns)
      .where('oidc_grants.expires_at', '>', now)
      .where('oidc_grants.last_used_at', 'is not', null)
      .where((where) => where.or([where('oidc_grants.kind', '!=', 'session'), where('sessions.expires_at', '>', now)]))
      .$if(userId !== undefined, (query) => query.where('oidc_grants.user_id', '=', userId ?? 0))
      .$if(key !== undefined, (query) => query.where('applications.key', '=', key ?? ''))
      .orderBy('oidc_grants.created_at', 'desc')
      .orderBy('oidc_grants.id'),
);
