import { defineDynamicQuery } from '../db/query.ts';

/** Removes counters of windows that are over. */
export const deleteOldRateLimits = defineDynamicQuery(
  'rateLimits.deleteOld',
  (db, { now, most }: { now: number; most: number }) =>
    db
      .deleteFrom('rate_limits')
      .where('key', 'in', db.selectFrom('rate_limits').select('key').where('expire', '<=', now).limit(most)),
);
