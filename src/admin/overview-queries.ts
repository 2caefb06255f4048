import { sql } from 'kysely';
import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { MAIL } from '../delivery/mail.ts';
import { DAY_MS } from '../lib/clock.ts';

/** The row counts that database triggers maintain. Leaves out the daily sign-ins of single applications. */
export const countedRows = defineQuery('admin.countedRows', (db) =>
  db
    .selectFrom('row_counts')
    .select(({ fn }) => ['name', fn.sum<number>('count').as('count')])
    .where('name', 'not like', 'sign_ins % %')
    .groupBy('name'),
);

/** The row counts with the given names. */
export const countsOf = defineDynamicQuery('admin.countsOf', (db, { names }: { names: readonly string[] }) =>
  db
    .selectFrom('row_counts')
    .select(({ fn }) => ['name', fn.sum<number>('count').as('count')])
    .where('name', 'in', names)
    .groupBy('name'),
);

const MAX_DAYS = 40;

const firstDay = (now: number): string => `sign_ins ${Math.floor(now / DAY_MS) - MAX_DAYS}`;

/**
 * Replaces all rows with the same name by one row with their sum. Deletes the sign-in counts of days that are no longer
 * shown. Only for PostgreSQL, where each change adds a row.
 */
export const addUpCounts = defineDynamicQuery('admin.addUpCounts', (db, { now }: Portion) =>
  db
    .with('former', (query) =>
      query
        .deleteFrom('row_counts')
        .where((where) =>
          where.or([
            where.and([where('name', 'like', 'sign_ins %'), where('name', '<', firstDay(now))]),
            where('name', 'in', (select) =>
              select
                .selectFrom('row_counts')
                .select('name')
                .groupBy('name')
                .having(({ fn }) => fn.countAll(), '>', 1),
            ),
          ]),
        )
        .returning(['name', 'count']),
    )
    .insertInto('row_counts')
    .columns(['name', 'count'])
    .expression((query) =>
      query
        .selectFrom('former')
        .select(({ fn }) => ['name', fn.sum<number>('count').as('count')])
        .where((where) => where.or([where('name', 'not like', 'sign_ins %'), where('name', '>=', firstDay(now))]))
        .groupBy('name'),
    ),
);

/** Deletes the sign-in counts of days that are no longer shown. Only for SQLite: see `addUpCounts` for PostgreSQL. */
export const deleteOldCounts = defineDynamicQuery('admin.deleteOldCounts', (db, { now, most }: Portion) =>
  db
    .deleteFrom('row_counts')
    .where('name', 'in', (query) =>
      query
        .selectFrom('row_counts')
        .select('name')
        .where('name', 'like', 'sign_ins %')
        .where('name', '<', firstDay(now))
        .limit(most),
    ),
);

/** The number of superadmins who may sign in, and the number of those without a second factor. */
export const countSuperadmins = defineQuery('admin.countSuperadmins', (db) =>
  db
    .selectFrom('users')
    .leftJoin('totp_factors', 'totp_factors.user_id', 'users.id')
    .select(({ fn, case: when }) => [
      fn.count<number>('users.id').distinct().as('total'),
      fn
        .count<number>(when().when('totp_factors.id', 'is', null).then(sql.ref('users.id')).end())
        .distinct()
        .as('without_factor'),
    ])
    .where('users.role', '=', sql.lit('superadmin'))
    .where('users.deactivated_at', 'is', null),
);

/** The number of sessions that have expired but are not deleted yet. */
export const countExpiredSessions = defineQuery('admin.countExpiredSessions', (db, { now }: { now: number }) =>
  db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('expires_at', '<=', now),
);

/** The number of refused sign-ins, confirmations and requests since a time, for each reason. */
export const countRefusals = defineQuery('admin.countRefusals', (db, { since }: { since: number }, { kind }) => {
  const field = (name: string) =>
    kind === 'sqlite' ? sql`json_extract(details, ${sql.lit(`$.${name}`)})` : sql`(details::json ->> ${sql.lit(name)})`;
  const reason = sql<string>`${field('reason')}`;
  return db
    .selectFrom('audit_events')
    .select([reason.as('reason'), sql<number>`sum(cast(${field('count')} as bigint))`.as('count')])
    .where(
      'event',
      'in',
      ['sign_in.refused', 'confirmation.refused', 'request.refused'].map((name) => sql.lit(name)),
    )
    .where('at', '>=', since)
    .groupBy(reason);
});

/** The number of API tokens that expire soon. */
export const countExpiringTokens = defineQuery(
  'admin.countExpiringTokens',
  (db, { now, until }: { now: number; until: number }) =>
    db
      .selectFrom('api_tokens')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('expires_at', '>', now)
      .where('expires_at', '<', until),
);

/** The number of mails that wait for another attempt. */
export const countWaitingMails = defineQuery('admin.countWaitingMails', (db, { now }: { now: number }) =>
  db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('kind', '=', sql.lit(MAIL))
    .where('attempts', '>', 0)
    .where('expires_at', '>', now),
);
