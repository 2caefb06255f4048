import { defineDynamicQuery, defineQuery } from '../db/query.ts';

interface NewSession {
  id: string;
  userId: number;
  method: string;
  address: string;
  userAgent: string;
  now: number;
  expiresAt: number;
}

export const insertSession = defineQuery('sessions.insert', (db, session: NewSession) =>
  db.insertInto('sessions').values({
    id: session.id,
    user_id: session.userId,
    method: session.method,
    address: session.address,
    user_agent: session.userAgent,
    created_at: session.now,
    expires_at: session.expiresAt,
  }),
);

/** A session that is not over, of a user who is active, with what the user is at this moment. */
export const liveSession = defineQuery('sessions.live', (db, { id, now }: { id: string; now: number }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'sessions.created_at',
      'sessions.expires_at',
      'sessions.user_id',
      'users.username',
      'users.full_name',
      'users.role',
      'users.allowed_apps',
      'users.image',
    ])
    .where('sessions.id', '=', id)
    .where('sessions.expires_at', '>', now)
    .where('users.deactivated_at', 'is', null),
);

export const deleteSession = defineQuery('sessions.delete', (db, { id }: { id: string }) =>
  db.deleteFrom('sessions').where('id', '=', id),
);

/** One session of one user, so that an id alone ends nothing of somebody else. */
export const deleteSessionOfUser = defineQuery(
  'sessions.deleteOfUser',
  (db, { id, userId }: { id: string; userId: number }) =>
    db.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId),
);

export const deleteSessionsOfUser = defineQuery('sessions.deleteAllOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('sessions').where('user_id', '=', userId),
);

export const deleteAllSessions = defineQuery('sessions.deleteAll', (db) => db.deleteFrom('sessions'));

/** Ends all sessions of a user but the `keep` newest; `newest` is always among those that stay. */
export const deleteOldestSessions = defineDynamicQuery(
  'sessions.deleteOldest',
  (db, { userId, newest, keep, now }: { userId: number; newest: string; keep: number; now: number }) =>
    db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .where('id', '!=', newest)
      .where((where) =>
        where.or([
          where('expires_at', '<=', now),
          where(
            'id',
            'not in',
            db
              .selectFrom('sessions')
              .select('id')
              .where('user_id', '=', userId)
              .where('id', '!=', newest)
              .where('expires_at', '>', now)
              .orderBy('created_at', 'desc')
              .orderBy('id')
              .limit(keep - 1),
          ),
        ]),
      ),
);

/** Removes some sessions that are over: few at a time, so that nobody waits for it. */
export const deleteExpiredSessions = defineDynamicQuery(
  'sessions.deleteExpired',
  (db, { now, most }: { now: number; most: number }) =>
    db
      .deleteFrom('sessions')
      .where('id', 'in', db.selectFrom('sessions').select('id').where('expires_at', '<=', now).limit(most)),
);

/** The sessions that are not over, of all users or of one, oldest first. */
export const listSessions = defineDynamicQuery(
  'sessions.list',
  (db, { userId, now }: { userId: number | undefined; now: number }) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select([
        'sessions.id',
        'sessions.user_id',
        'users.username',
        'sessions.method',
        'sessions.address',
        'sessions.user_agent',
        'sessions.created_at',
        'sessions.expires_at',
      ])
      .where('sessions.expires_at', '>', now)
      .$if(userId !== undefined, (query) => query.where('sessions.user_id', '=', userId ?? 0))
      .orderBy('sessions.created_at')
      .orderBy('sessions.id'),
);
