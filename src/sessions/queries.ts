import type { Kysely } from 'kysely';
import { EVERYTHING } from '../db/changes.ts';
import type { Portion } from '../db/cleaning.ts';
import { invalidating, invalidatingEach } from '../db/invalidation.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { CLOCK_TOLERANCE_MS } from '../lib/clock.ts';

/** Returns the name of the row that caches must drop when a session ends or its id changes. */
export const theSession = ({ id }: { id: string }) => `sessions ${id}`;
const allOfUser = ({ userId }: { userId: number }) => `users ${userId}`;

/** The columns of a session and its user that `toSession` needs. */
const sessionColumns = [
  'sessions.id',
  'sessions.ref',
  'sessions.created_at',
  'sessions.expires_at',
  'sessions.user_id',
  'users.username',
  'users.full_name',
  'users.role',
  'users.allowed_apps',
  'users.image',
] as const;

/** A browser that remembers sessions, and the current name of its list of accounts. */
export interface AccountListName {
  browser: string;
  device: string;
}

interface NewSession extends AccountListName {
  id: string;
  ref: string;
  userId: number;
  method: string;
  address: string;
  userAgent: string;
  /** The authentication methods as a JSON array of strings. */
  amr: string;
  passkeyRef: string | null;
  /** Milliseconds since the epoch; null if the sign-in does not confirm the session. */
  confirmedUntil: number | null;
  now: number;
  expiresAt: number;
}

export const insertSession = defineQuery('sessions.insert', (db, session: NewSession) =>
  db.insertInto('sessions').values({
    id: session.id,
    ref: session.ref,
    user_id: session.userId,
    method: session.method,
    address: session.address,
    user_agent: session.userAgent,
    browser: session.browser,
    device: session.device,
    created_at: session.now,
    authenticated_at: session.now,
    amr: session.amr,
    passkey_ref: session.passkeyRef,
    expires_at: session.expiresAt,
    last_seen_at: session.now,
    confirmed_until: session.confirmedUntil,
  }),
);

/** Selects the unexpired sessions with the given ids whose users are active, with the users' current data. */
export const selectActiveSessions = (db: Kysely<Schema>, { ids, now }: { ids: readonly string[]; now: number }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(sessionColumns)
    .where('sessions.id', 'in', ids)
    .where('sessions.expires_at', '>', now)
    .where('users.deactivated_at', 'is', null);

/** Reads an unexpired session whose user is active, with the user's current data. */
export const activeSession = defineQuery('sessions.live', (db, { id, now }: { id: string; now: number }) =>
  selectActiveSessions(db, { ids: [id], now }),
);

/** Reads when and how the user of a session signed in. */
export const authenticationOfSession = defineQuery('sessions.authentication', (db, { id }: { id: string }) =>
  db.selectFrom('sessions').select(['authenticated_at', 'amr']).where('id', '=', id),
);

/**
 * Locks the row of an active session until the transaction ends. The update sets a column to its own value, because
 * SQLite has no `SELECT … FOR UPDATE`.
 */
export const lockSession = defineQuery('sessions.lock', (db, { id, now }: { id: string; now: number }) =>
  db
    .updateTable('sessions')
    .set((set) => ({ user_agent: set.ref('user_agent') }))
    .where('id', '=', id)
    .where('expires_at', '>', now),
);

/** Finds a session that has neither ended nor expired, even if its user is inactive or has lost access. */
export const storedSession = defineQuery('sessions.stored', (db, { id, now }: { id: string; now: number }) =>
  db.selectFrom('sessions').select('id').where('id', '=', id).where('expires_at', '>', now),
);

/** Lists the active sessions in the account list of a browser, newest first, with their users' current data. */
export const activeSessionsOfList = defineQuery(
  'sessions.liveOfDevice',
  (db, { browser, device, now }: AccountListName & { now: number }) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(sessionColumns)
      .where('sessions.browser', '=', browser)
      .where('sessions.device', '=', device)
      .where('sessions.expires_at', '>', now)
      .where('users.deactivated_at', 'is', null)
      .orderBy('sessions.created_at', 'desc')
      .orderBy('sessions.id'),
);

/** Finds one unexpired session that a browser has opened, in any of the browser's lists. */
export const someActiveSessionOfBrowser = defineQuery(
  'sessions.someLiveOfBrowser',
  (db, { browser, now }: { browser: string; now: number }) =>
    db.selectFrom('sessions').select('id').where('browser', '=', browser).where('expires_at', '>', now).limit(1),
);

/** Reads the name of the list that contains a session, if this browser has opened the session. */
export const listOfSession = defineQuery(
  'sessions.listOfSession',
  (db, { id, browser }: { id: string; browser: string }) =>
    db.selectFrom('sessions').select('device').where('id', '=', id).where('browser', '=', browser),
);

/** Gives the account list of a browser a new name. */
export const renameList = defineQuery(
  'sessions.renameList',
  (db, { browser, device, newDevice }: AccountListName & { newDevice: string }) =>
    db.updateTable('sessions').set({ device: newDevice }).where('browser', '=', browser).where('device', '=', device),
);

/** Adds a session to the account list of a browser, unless the session belongs to another browser. */
export const moveToList = defineQuery(
  'sessions.moveToList',
  (db, { id, browser, device }: AccountListName & { id: string }) =>
    db.updateTable('sessions').set({ browser, device }).where('id', '=', id).where('browser', 'in', ['', browser]),
);

/**
 * Gives a session a new id and removes its confirmation, if the session belongs to this browser or to no browser. All
 * other columns stay. If two requests rename the same session at once, only one succeeds, because the old id no longer
 * exists.
 */
export const renameSessionOfBrowser = invalidating(
  defineQuery(
    'sessions.renameOfBrowser',
    (db, { id, browser, newId, now }: { id: string; browser: string; newId: string; now: number }) =>
      db
        .updateTable('sessions')
        .set({ id: newId, confirmed_until: null })
        .where('id', '=', id)
        .where('browser', 'in', ['', browser])
        .where('expires_at', '>', now),
  ),
  theSession,
);

/** Does the same as `renameSessionOfBrowser`, but only for a session in the given list of the browser. */
export const renameSessionInList = invalidating(
  defineQuery(
    'sessions.renameOfDevice',
    (db, { id, browser, device, newId, now }: AccountListName & { id: string; newId: string; now: number }) =>
      db
        .updateTable('sessions')
        .set({ id: newId, confirmed_until: null })
        .where('id', '=', id)
        .where('browser', '=', browser)
        .where('device', '=', device)
        .where('expires_at', '>', now),
  ),
  theSession,
);

/** The columns that the caller needs to record the end of a session. */
export const endedColumns = ['id', 'ref', 'user_id'] as const;

/** Ends every session that a browser has opened, in any of the browser's lists. */
export const deleteSessionsOfBrowser = invalidatingEach(
  defineQuery('sessions.deleteOfBrowser', (db, { browser }: { browser: string }) =>
    db.deleteFrom('sessions').where('browser', '=', browser).returning(endedColumns),
  ),
  theSession,
);

/** Ends the other sessions of a user in the account list of a browser. `keep` is the id of the session that stays. */
export const deleteOtherSessionsInList = invalidating(
  defineQuery(
    'sessions.deleteOthersOnDevice',
    (db, { browser, device, userId, keep }: AccountListName & { userId: number; keep: string }) =>
      db
        .deleteFrom('sessions')
        .where('browser', '=', browser)
        .where('device', '=', device)
        .where('user_id', '=', userId)
        .where('id', '!=', keep),
  ),
  allOfUser,
);

export const deleteSession = invalidatingEach(
  defineQuery('sessions.delete', (db, { id }: { id: string }) =>
    db.deleteFrom('sessions').where('id', '=', id).returning(endedColumns),
  ),
  theSession,
);

/** Ends all sessions of a user except the one with the ref `keep`. */
export const deleteOtherSessions = invalidatingEach(
  defineQuery('sessions.deleteOthers', (db, { userId, keep }: { userId: number; keep: string }) =>
    db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .where('ref', '!=', keep)
      .returning([...endedColumns, 'expires_at']),
  ),
  theSession,
);

export const deleteSessionsOfUser = invalidating(
  defineQuery('sessions.deleteAllOfUser', (db, { userId }: { userId: number }) =>
    db.deleteFrom('sessions').where('user_id', '=', userId),
  ),
  allOfUser,
);

/** Ends the sessions that a user has opened with one sign-in method, except the one with the ref `keep`. */
export const deleteSessionsOfMethod = invalidating(
  defineQuery(
    'sessions.deleteOfMethod',
    (db, { userId, method, keep }: { userId: number; method: string; keep: string }) =>
      db.deleteFrom('sessions').where('user_id', '=', userId).where('method', '=', method).where('ref', '!=', keep),
  ),
  allOfUser,
);

/** Ends the sessions that a user has opened with one passkey, except the one with the ref `keep`. */
export const deleteSessionsOfPasskey = invalidating(
  defineQuery(
    'sessions.deleteOfPasskey',
    (db, { userId, passkeyRef, keep }: { userId: number; passkeyRef: string; keep: string }) =>
      db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('passkey_ref', '=', passkeyRef)
        .where('ref', '!=', keep),
  ),
  allOfUser,
);

export const deleteAllSessions = invalidating(
  defineQuery('sessions.deleteAll', (db) => db.deleteFrom('sessions')),
  () => EVERYTHING,
);

/**
 * Ends all sessions of a user except the newest ones. `keep` is how many stay. The session with the id `newest` always
 * stays and counts as one of them. Sessions whose start time is in the future were created while the clock was wrong,
 * and count as the oldest.
 */
export const deleteOldestSessions = invalidating(
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
                .orderBy((order) => order('created_at', '<=', now + CLOCK_TOLERANCE_MS), 'desc')
                .orderBy('created_at', 'desc')
                .orderBy('id')
                .limit(keep - 1),
            ),
          ]),
        ),
  ),
  allOfUser,
);

/** Deletes some expired sessions. Each run deletes only a few, so that other transactions do not wait long. */
export const deleteExpiredSessions = defineDynamicQuery(
  'sessions.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('sessions')
      .where(
        'id',
        'in',
        db.selectFrom('sessions').select('id').where('expires_at', '<=', now).limit(most).$call(skipLocked(kind)),
      ),
);

/** Lists the unexpired sessions of all users or of one user, oldest first. */
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

/** Sessions, browsers and unfinished sign-ins whose users are to be locked, and the ids of further users. */
export interface Owned {
  userIds: readonly number[];
  sessionIds: readonly string[];
  browsers: readonly string[];
  secondStepIds: readonly string[];
}

/** Locks the users who own the given rows, in the order of user ids. PostgreSQL only. */
export const lockOwnerRows = defineQuery('users.lockOwners', (db, owned: Owned, { sql }) => {
  const sessions = db.selectFrom('sessions').select('user_id');
  const owners = sessions
    .where(sql<boolean>`id = any(${owned.sessionIds}::text[])`)
    .unionAll(sessions.where(sql<boolean>`browser = any(${owned.browsers}::text[])`))
    .unionAll(
      db.selectFrom('second_steps').select('user_id').where(sql<boolean>`id = any(${owned.secondStepIds}::text[])`),
    )
    .unionAll(db.selectNoFrom(sql<number>`unnest(${owned.userIds}::bigint[])`.as('user_id')));
  return db.selectFrom('users').select('id').where('id', 'in', owners).orderBy('id').forNoKeyUpdate();
});
