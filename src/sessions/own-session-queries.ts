import { invalidating, invalidatingEach } from '../db/invalidation.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { endedColumns, theSession } from './queries.ts';

/** Finds the user of the session with the given ref. */
export const ownerOfSession = defineQuery('sessions.owner', (db, { ref }: { ref: string }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.username'])
    .where('sessions.ref', '=', ref)
    // The index on `ref` contains only refs that are not empty. This condition lets the database use that index.
    .where('sessions.ref', '!=', ''),
);

/** Ends one session of a user, by the session's ref. */
export const deleteSessionByRef = invalidatingEach(
  defineQuery('sessions.deleteByRef', (db, { userId, ref, now }: { userId: number; ref: string; now: number }) =>
    db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .where('ref', '=', ref)
      .where('expires_at', '>', now)
      .returning(endedColumns),
  ),
  theSession,
);

/** Reads the time until which a session is confirmed. */
export const confirmationOfSession = defineQuery('sessions.confirmation', (db, { id }: { id: string }) =>
  db.selectFrom('sessions').select('confirmed_until').where('id', '=', id),
);

/** Confirms an active session until the given time. */
export const confirmSession = defineQuery(
  'sessions.confirm',
  (db, { id, until, now }: { id: string; until: number; now: number }) =>
    db.updateTable('sessions').set({ confirmed_until: until }).where('id', '=', id).where('expires_at', '>', now),
);

/** Removes the confirmation of a session. */
export const endConfirmation = defineQuery('sessions.endConfirmation', (db, { id }: { id: string }) =>
  db.updateTable('sessions').set({ confirmed_until: null }).where('id', '=', id),
);

/**
 * Sets the time of last use of sessions. Skips sessions that another transaction has locked, so that this query never
 * takes part in a deadlock.
 *
 * @returns the ids of the sessions that were updated
 */
export const markSessionsSeen = defineDynamicQuery(
  'sessions.seen',
  (db, { ids, now }: { ids: readonly string[]; now: number }, { kind }) =>
    db
      .updateTable('sessions')
      .set({ last_seen_at: now })
      .where('id', 'in', db.selectFrom('sessions').select('id').where('id', 'in', ids).$call(skipLocked(kind)))
      .returning('id'),
);

const shownColumns = [
  'id',
  'ref',
  'method',
  'address',
  'user_agent',
  'created_at',
  'expires_at',
  'last_seen_at',
] as const;

/** Reads an active session with the columns that its user sees, and the time until which it is confirmed. */
export const shownSession = defineQuery('sessions.shown', (db, { id, now }: { id: string; now: number }) =>
  db
    .selectFrom('sessions')
    .select([...shownColumns, 'confirmed_until'])
    .where('id', '=', id)
    .where('expires_at', '>', now),
);

/** Lists the sessions of a user that have not expired, newest first. */
export const sessionsOfUser = defineQuery('sessions.ofUser', (db, { userId, now }: { userId: number; now: number }) =>
  db
    .selectFrom('sessions')
    .select(shownColumns)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('ref'),
);

/** Gives a session a new id and confirms it. Changes nothing if the session has ended or expired. */
export const renewSession = invalidating(
  defineQuery(
    'sessions.renew',
    (db, { id, newId, until, now }: { id: string; newId: string; until: number; now: number }) =>
      db
        .updateTable('sessions')
        .set({ id: newId, confirmed_until: until })
        .where('id', '=', id)
        .where('expires_at', '>', now),
  ),
  theSession,
);
