import type { Portion } from '../db/cleaning.ts';
import { invalidating, invalidatingEach } from '../db/invalidation.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

const theGrant = ({ id }: { id: string }) => `oidc_grants ${id}`;

/** The columns of a user that applications may get. */
const grantUserColumns = [
  'users.sub',
  'users.username',
  'users.full_name',
  'users.role',
  'users.allowed_apps',
  'users.image',
  'users.email',
  'users.updated_at',
] as const;

/** The columns of a grant and its user. */
export const grantColumns = [
  'oidc_grants.id',
  'oidc_grants.kind',
  'oidc_grants.user_id',
  'oidc_grants.session_id',
  'oidc_grants.sid',
  'oidc_grants.scopes',
  'oidc_grants.resource',
  'oidc_grants.nonce',
  'oidc_grants.authenticated_at',
  'oidc_grants.amr',
  'oidc_grants.created_at',
  'oidc_grants.last_used_at',
  'oidc_grants.expires_at',
  'applications.key',
  'applications.name as application_name',
  ...grantUserColumns,
] as const;

/** Finds a grant with its user and session. Returns no row if the user is deactivated. */
export const grantById = defineQuery('oidcGrants.byId', (db, { id }: { id: string }) =>
  db
    .selectFrom('oidc_grants')
    .innerJoin('users', 'users.id', 'oidc_grants.user_id')
    .innerJoin('applications', 'applications.id', 'oidc_grants.application_id')
    .leftJoin('sessions', 'sessions.id', 'oidc_grants.session_id')
    .select(grantColumns)
    .select('sessions.expires_at as session_expires_at')
    .where('oidc_grants.id', '=', id)
    .where('users.deactivated_at', 'is', null),
);

interface NewGrant {
  id: string;
  kind: string;
  userId: number;
  applicationId: number;
  sessionId: string | null;
  sid: string;
  scopes: string;
  resource: string | null;
  nonce: string | null;
  authenticatedAt: number;
  /** A JSON list. */
  amr: string;
  now: number;
  expiresAt: number;
}

export const insertGrant = defineQuery('oidcGrants.insert', (db, grant: NewGrant) =>
  db.insertInto('oidc_grants').values({
    id: grant.id,
    kind: grant.kind,
    user_id: grant.userId,
    application_id: grant.applicationId,
    session_id: grant.sessionId,
    sid: grant.sid,
    scopes: grant.scopes,
    resource: grant.resource,
    nonce: grant.nonce,
    authenticated_at: grant.authenticatedAt,
    amr: grant.amr,
    created_at: grant.now,
    last_used_at: null,
    expires_at: grant.expiresAt,
  }),
);

/**
 * Finds the id (`sid`) under which an application knows a session, if the application already has a grant in this
 * session.
 */
export const sidOfSession = defineQuery(
  'oidcGrants.sid',
  (db, { sessionId, applicationId }: { sessionId: string; applicationId: number }) =>
    db
      .selectFrom('oidc_grants')
      .select('sid')
      .where('session_id', '=', sessionId)
      .where('application_id', '=', applicationId)
      .limit(1),
);

/** Records that tokens of a grant were issued, and sets the time when the grant expires. */
export const useGrant = invalidating(
  defineQuery('oidcGrants.use', (db, { id, now, expiresAt }: { id: string; now: number; expiresAt: number }) =>
    db.updateTable('oidc_grants').set({ last_used_at: now, expires_at: expiresAt }).where('id', '=', id),
  ),
  theGrant,
);

/** The columns of an ended grant that back-channel logout needs. */
const endedColumns = ['id', 'kind', 'user_id', 'application_id', 'sid', 'last_used_at'] as const;

/** Returns the subject identifiers of these users. */
export const subsOfUsers = defineDynamicQuery('oidcGrants.subs', (db, { userIds }: { userIds: readonly number[] }) =>
  db.selectFrom('users').select(['id', 'sub']).where('id', 'in', userIds),
);

/** Ends a grant and all its tokens. */
export const deleteGrant = invalidatingEach(
  defineQuery('oidcGrants.delete', (db, { id }: { id: string }) =>
    db.deleteFrom('oidc_grants').where('id', '=', id).returning(endedColumns),
  ),
  theGrant,
);

/** Ends the grants of kind `session` whose session was deleted. */
export const deleteGrantsOfEndedSessions = invalidatingEach(
  defineQuery('oidcGrants.deleteOfEndedSessions', (db) =>
    db.deleteFrom('oidc_grants').where('session_id', 'is', null).where('kind', '=', 'session').returning(endedColumns),
  ),
  theGrant,
);

/** Ends the grants of kind `session` whose session has expired but is not deleted yet. */
export const deleteGrantsOfExpiredSessions = invalidatingEach(
  defineQuery('oidcGrants.deleteOfExpiredSessions', (db, { now }: { now: number }) =>
    db
      .deleteFrom('oidc_grants')
      .where('session_id', 'in', db.selectFrom('sessions').select('id').where('expires_at', '<=', now))
      .where('kind', '=', 'session')
      .returning(endedColumns),
  ),
  theGrant,
);

interface Owner {
  userId: number;
  kinds: readonly string[];
}

/** Ends a user's grants of these kinds. */
export const deleteGrantsOfUser = invalidatingEach(
  defineDynamicQuery('oidcGrants.deleteOfUser', (db, { userId, kinds }: Owner) =>
    db.deleteFrom('oidc_grants').where('user_id', '=', userId).where('kind', 'in', kinds).returning(endedColumns),
  ),
  theGrant,
);

/** Ends all users' grants of these kinds. */
export const deleteGrantsOfKinds = invalidatingEach(
  defineDynamicQuery('oidcGrants.deleteOfKinds', (db, { kinds }: { kinds: readonly string[] }) =>
    db.deleteFrom('oidc_grants').where('kind', 'in', kinds).returning(endedColumns),
  ),
  theGrant,
);

interface AtApplication {
  userId: number;
  applicationId: number;
}

/** Ends all grants that a user gave an application, including the consent. */
export const deleteGrantsAtApplication = invalidatingEach(
  defineQuery('oidcGrants.deleteAtApplication', (db, { userId, applicationId }: AtApplication) =>
    db
      .deleteFrom('oidc_grants')
      .where('user_id', '=', userId)
      .where('application_id', '=', applicationId)
      .returning(endedColumns),
  ),
  theGrant,
);

export const deleteConsent = defineQuery('oidcGrants.deleteConsent', (db, { userId, applicationId }: AtApplication) =>
  db
    .deleteFrom('oidc_grants')
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .where('kind', '=', 'consent'),
);

/**
 * Lists the users with grants at an application, or the applications where a user has grants. There is one row per
 * user and application.
 */
export const grantHolders = defineDynamicQuery(
  'oidcGrants.holders',
  (db, { userId, key }: { userId?: number; key?: string }) =>
    db
      .selectFrom('oidc_grants')
      .innerJoin('users', 'users.id', 'oidc_grants.user_id')
      .innerJoin('applications', 'applications.id', 'oidc_grants.application_id')
      .select([
        'oidc_grants.user_id',
        'oidc_grants.application_id',
        'users.role',
        'users.allowed_apps',
        'applications.key',
        'applications.roles',
      ])
      .distinct()
      .$if(userId !== undefined, (query) => query.where('oidc_grants.user_id', '=', userId ?? 0))
      .$if(key !== undefined, (query) => query.where('applications.key', '=', key ?? '')),
);

export const consentOf = defineQuery('oidcGrants.consent', (db, { userId, applicationId }: AtApplication) =>
  db
    .selectFrom('oidc_grants')
    .select(['id', 'scopes'])
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .where('kind', '=', 'consent'),
);

export const extendConsent = defineQuery(
  'oidcGrants.extendConsent',
  (db, { id, scopes, now }: { id: string; scopes: string; now: number }) =>
    db.updateTable('oidc_grants').set({ scopes, last_used_at: now }).where('id', '=', id),
);

/**
 * Finds a grant by its id.
 *
 * @param userId the user who must have given the grant; undefined for any user
 */
export const endableGrant = defineDynamicQuery(
  'oidcGrants.endable',
  (db, { id, userId }: { id: string; userId: number | undefined }) =>
    db
      .selectFrom('oidc_grants')
      .innerJoin('users', 'users.id', 'oidc_grants.user_id')
      .innerJoin('applications', 'applications.id', 'oidc_grants.application_id')
      .select([
        'oidc_grants.id',
        'oidc_grants.kind',
        'oidc_grants.user_id',
        'oidc_grants.application_id',
        'oidc_grants.sid',
        'users.username',
        'applications.key',
      ])
      .where('oidc_grants.id', '=', id)
      .$if(userId !== undefined, (query) => query.where('oidc_grants.user_id', '=', userId ?? 0)),
);

/** Ends the grants that an application was given in one session. */
export const deleteGrantsOfSid = invalidatingEach(
  defineQuery('oidcGrants.deleteOfSid', (db, { applicationId, sid }: { applicationId: number; sid: string }) =>
    db
      .deleteFrom('oidc_grants')
      .where('application_id', '=', applicationId)
      .where('sid', '=', sid)
      .where('kind', '=', 'session')
      .returning(endedColumns),
  ),
  theGrant,
);

/** Deletes up to `most` grants that have no valid token left. */
export const deleteExpiredGrants = defineDynamicQuery(
  'oidcGrants.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('oidc_grants')
      .where(
        'id',
        'in',
        db.selectFrom('oidc_grants').select('id').where('expires_at', '<=', now).limit(most).$call(skipLocked(kind)),
      ),
);

/** Locks a grant, so that no other transaction can end it until the tokens of this transaction are stored. */
export const lockGrant = defineQuery('oidcGrants.lock', (db, { id }: { id: string }) =>
  db
    .updateTable('oidc_grants')
    .set((set) => ({ scopes: set.ref('scopes') }))
    .where('id', '=', id)
    .returning(['id', 'application_id', 'expires_at']),
);

/** Finds the user of a session, with the data that applications may get. */
export const visitorOfSession = defineQuery('oidcGrants.visitor', (db, { sessionId }: { sessionId: string }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select((select) => [
      'sessions.method',
      'sessions.authenticated_at',
      'sessions.amr',
      'users.id',
      ...grantUserColumns,
      select
        .exists(
          select.selectFrom('totp_factors').select('totp_factors.id').whereRef('totp_factors.user_id', '=', 'users.id'),
        )
        .as('has_factor'),
    ])
    .where('sessions.id', '=', sessionId),
);
