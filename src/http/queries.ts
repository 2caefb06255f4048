import { sql } from 'kysely';
import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

/** The time at which the statement began, in milliseconds since the epoch, by the clock of PostgreSQL. */
const databaseNow = sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`;
/**
 * The time at which a row is examined. It is later than `databaseNow` if the statement had to wait for the row. The
 * row may then hold a window that another statement began in the meantime.
 */
const clockNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Counts one use of a key, on PostgreSQL. A new window begins if there is none or the last one has ended. It also
 * begins if the last window ends later than any window can, because the database's clock was ahead when that window
 * began.
 */
export const countRateLimit = defineQuery(
  'rateLimits.count',
  (db, { key, windowMs }: { key: string; windowMs: number }) => {
    const end = sql<number>`${databaseNow} + ${windowMs}::bigint`;
    const isOpen = sql<boolean>`rate_limits.expire > ${databaseNow}
      and rate_limits.expire <= ${clockNow} + ${windowMs}::bigint`;
    return db
      .insertInto('rate_limits')
      .values({ key, points: 1, expire: end })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          points: sql<number>`case when ${isOpen} then rate_limits.points + 1 else 1 end`,
          expire: sql<number>`case when ${isOpen} then rate_limits.expire else ${end} end`,
        }),
      )
      .returning(['points as uses', sql<number>`expire - ${databaseNow}`.as('leftMs')]);
  },
);

/** Deletes up to `most` counters whose windows have ended. */
export const deleteOldRateLimits = defineDynamicQuery('rateLimits.deleteOld', (db, { now, most }: Portion, { kind }) =>
  db
    .deleteFrom('rate_limits')
    .where(
      'key',
      'in',
      db.selectFrom('rate_limits').select('key').where('expire', '<=', now).limit(most).$call(skipLocked(kind)),
    ),
);
