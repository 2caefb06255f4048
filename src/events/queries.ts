import type { Expression, SqlBool } from 'kysely';
import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineListQuery, defineQuery } from '../db/query.ts';
import type { AuditEventsTable } from '../db/schema.ts';
import { auditFields } from './audit-event.ts';

/** An event that has no id yet. `at` is in milliseconds since the epoch, `details` is JSON text. */
export type NewAuditEvent = Omit<AuditEventsTable, 'id'>;

/** Adds events to the audit log. Their ids are assigned in the order of the list. */
export const insertAuditEvents = defineListQuery(
  'audit.insert',
  'events',
  (db, { events }: { events: readonly NewAuditEvent[] }) =>
    db
      .insertInto('audit_events')
      .values(
        events.map((event) => ({
          at: event.at,
          event: event.event,
          actor_type: event.actor_type,
          actor_id: event.actor_id,
          actor_name: event.actor_name,
          subject_id: event.subject_id,
          subject_name: event.subject_name,
          session_ref: event.session_ref,
          address: event.address,
          user_agent: event.user_agent,
          application: event.application,
          request_id: event.request_id,
          details: event.details,
        })),
      )
      .returning('id'),
);

/** Returns the usernames of these users. */
export const usernamesByIds = defineDynamicQuery('audit.usernames', (db, { ids }: { ids: readonly number[] }) =>
  db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids),
);

/** A condition that an index evaluates. The index returns the matching events sorted by time. */
export type Driver =
  | { column: 'subject_id' | 'actor_id'; value: number }
  | { column: 'event' | 'address' | 'application'; value: string };

interface Listing {
  /**
   * Each condition uses its own index to find the newest events. An event that several conditions find is returned
   * once. An empty list matches all events.
   */
  drivers: readonly Driver[];
  events: readonly string[] | undefined;
  address: string | undefined;
  application: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  since: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  until: number | undefined;
  /** The last event of the previous page. */
  after: { at: number; id: number } | undefined;
  limit: number;
}

/**
 * Returns events of the audit log, newest first.
 *
 * Every driver reads its own index, starting at the newest event, so that the cost of a page does not depend on the
 * size of the log. The other conditions are written so that they use no index, because a planner without statistics
 * would choose a wrong one.
 */
export const listAuditEventRows = defineDynamicQuery('audit.list', (db, listing: Listing, { sql }) => {
  const { drivers, events, address, application, since, until, after, limit } = listing;
  const found = (driver: Driver | undefined) =>
    db
      .selectFrom('audit_events')
      .select(['id', 'at'])
      .where((where) => {
        const plain = (column: 'event' | 'address' | 'application') => sql<string>`${sql.ref(column)} || ''`;
        const conditions: Expression<SqlBool>[] = [];
        if (driver) conditions.push(where(driver.column, '=', driver.value));
        if (events && driver?.column !== 'event') conditions.push(where(plain('event'), 'in', events));
        if (address !== undefined && driver?.column !== 'address')
          conditions.push(where(plain('address'), '=', address));
        if (application !== undefined && driver?.column !== 'application')
          conditions.push(where(plain('application'), '=', application));
        if (since !== undefined) conditions.push(where('at', '>=', since));
        if (until !== undefined) conditions.push(where('at', '<', until));
        if (after) conditions.push(where(where.refTuple('at', 'id'), '<', where.tuple(after.at, after.id)));
        return where.and(conditions);
      })
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
  const [first, ...others] = drivers;
  const ids = others.reduce(
    (union, driver) => union.unionAll(db.selectFrom(found(driver).as('found')).select('id')),
    db.selectFrom(found(first).as('found')).select('id'),
  );
  return db
    .selectFrom('audit_events')
    .select(auditFields)
    .where('id', 'in', ids)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
});

/** Deletes up to `most` events from before `now`. The caller has already subtracted the retention time from `now`. */
export const deleteOldAuditEvents = defineDynamicQuery('audit.deleteOld', (db, { now, most }: Portion) =>
  db
    .deleteFrom('audit_events')
    .where(
      'id',
      'in',
      db.selectFrom('audit_events').select('id').where('at', '<', now).orderBy('at').orderBy('id').limit(most),
    ),
);

/** Returns events sorted by id, from `after` (exclusive) up to `upTo` (inclusive). */
export const auditEventsById = defineQuery(
  'audit.byId',
  (db, { after, upTo, limit }: { after: number; upTo: number; limit: number }) =>
    db
      .selectFrom('audit_events')
      .select(auditFields)
      .where('id', '>', after)
      .where('id', '<=', upTo)
      .orderBy('id')
      .limit(limit),
);

/** Returns the newest id that is visible to this transaction. */
export const lastAuditId = defineQuery('audit.lastId', (db) =>
  db.selectFrom('audit_events').select('id').orderBy('id', 'desc').limit(1),
);

/** Returns the id of the oldest event at or after a time. */
export const firstAuditIdSince = defineQuery('audit.firstIdSince', (db, { since }: { since: number }) =>
  db.selectFrom('audit_events').select('id').where('at', '>=', since).orderBy('at').orderBy('id').limit(1),
);

/** Returns the ids from `after` (exclusive) up to `upTo` (inclusive). */
export const auditIds = defineQuery('audit.ids', (db, { after, upTo }: { after: number; upTo: number }) =>
  db.selectFrom('audit_events').select('id').where('id', '>', after).where('id', '<=', upTo),
);

/**
 * Returns the open transactions that may have been assigned an id in the audit log. PostgreSQL only.
 *
 * An insert locks the table before it gets its id, and the lock is released only after its rows are visible. So
 * every transaction that holds such a lock may have an id.
 */
export const openAuditWriters = defineQuery('audit.openWriters', (db, _params, { sql }) =>
  db
    .selectFrom(
      sql<{ writer: string }>`(
        select virtualtransaction as writer from pg_locks
        where relation = to_regclass('audit_events') and mode = 'RowExclusiveLock' and granted
          and database = (select oid from pg_database where datname = current_database())
      )`.as('writers'),
    )
    .select('writer'),
);
