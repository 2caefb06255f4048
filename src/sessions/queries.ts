import { EVERYTHING } from '../db/changes.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { telling, tellingEach } from '../db/telling.ts';

/** The rows that are said to have changed when sessions end or get another id. */
const theSession = ({ id }: { id: string }) => `sessions ${id}`;
const allOfUser = ({ userId }: { userId: number }) => `users ${userId}`;

/** What makes a session with its user, as `toSession` reads it. */
const sessionColumns = [
  'sessions.id',
  'sessions.created_at',
  'sessions.expires_at',
  'sessions.user_id',
  'users.username',
  'users.full_name',
  'users.role',
  'users.allowed_apps',
  'users.image',
] as const;

interface NewSession {
  id: string;
  userId: number;
  method: string;
  address: string;
  userAgent: string;
  device: string;
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
    device: session.device,
    created_at: session.now,
    expires_at: session.expiresAt,
  }),
);

/** A session that is not over, of a user who is active, with what the user is at this moment. */
export const liveSession = defineQuery('sessions.live', (db, { id, now }: { id: string; now: number }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(sessionColumns)
    .where('sessions.id', '=', id)
    .where('sessions.expires_at', '>', now)
    .where('users.deactivated_at', 'is', null),
);

/** The same for every session that a browser remembers, the newest first. */
export const liveSessionsOfDevice = defineQuery(
  'sessions.liveOfDevice',
  (db, { device, now }: { device: string; now: number }) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(sessionColumns)
      .where('sessions.device', '=', device)
      .where('sessions.expires_at', '>', now)
      .where('users.deactivated_at', 'is', null)
      .orderBy('sessions.created_at', 'desc')
      .orderBy('sessions.id'),
);

/** Hands the sessions that a browser remembers over to its new name. */
export const moveDevice = defineQuery('sessions.moveDevice', (db, { from, to }: { from: string; to: string }) =>
  db.updateTable('sessions').set({ device: to }).where('device', '=', from),
);

/** Lets a browser remember one session more. */
export const setDevice = defineQuery('sessions.setDevice', (db, { id, device }: { id: string; device: string }) =>
  db.updateTable('sessions').set({ device }).where('id', '=', id),
);

/** Gives a session a new id; all else stays. Only one of two at once succeeds. */
export const renameSession = telling(
  defineQuery('sessions.rename', (db, { id, newId, now }: { id: string; newId: string; now: number }) =>
    db.updateTable('sessions').set({ id: newId }).where('id', '=', id).where('expires_at', '>', now),
  ),
  theSession,
);

/** The same for a session that this browser remembers under its present name. */
export const renameSessionOfDevice = telling(
  defineQuery(
    'sessions.renameOfDevice',
    (db, { id, device, newId, now }: { id: string; device: string; newId: string; now: number }) =>
      db
        .updateTable('sessions')
        .set({ id: newId })
        .where('id', '=', id)
        .where('device', '=', device)
        .where('expires_at', '>', now),
  ),
  theSession,
);

export const deleteSessionsOfDevice = tellingEach(
  defineQuery('sessions.deleteOfDevice', (db, { device }: { device: string }) =>
    db.deleteFrom('sessions').where('device', '=', device).returning('id'),
  ),
  theSession,
);

/** The earlier sessions of a user that one browser remembers. */
export const deleteOtherSessionsOnDevice = telling(
  defineQuery(
    'sessions.deleteOthersOnDevice',
    (db, { device, userId, keep }: { device: string; userId: number; keep: string }) =>
      db.deleteFrom('sessions').where('device', '=', device).where('user_id', '=', userId).where('id', '!=', keep),
  ),
  allOfUser,
);

export const deleteSession = telling(
  defineQuery('sessions.delete', (db, { id }: { id: string }) => db.deleteFrom('sessions').where('id', '=', id)),
  theSession,
);

export const deleteSessionsOfUser = telling(
  defineQuery('sessions.deleteAllOfUser', (db, { userId }: { userId: number }) =>
    db.deleteFrom('sessions').where('user_id', '=', userId),
  ),
  allOfUser,
);

export const deleteAllSessions = telling(
  defineQuery('sessions.deleteAll', (db) => db.deleteFrom('sessions')),
  () => EVERYTHING,
);

/** Ends all sessions of a user but the `keep` newest; `newest` is always among those that stay. */
export const deleteOldestSessions = telling(
  defineDynamicQuery(
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
  ),
  allOfUser,
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
