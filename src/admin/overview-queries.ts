import { sql } from 'kysely';
import { defineQuery } from '../db/query.ts';
import { DAY_MS } from '../lib/clock.ts';

/** How many users there are, how many may sign in, and how many of those are superadmins. */
export const countUsers = defineQuery('admin.countUsers', (db) =>
  db
    .selectFrom('users')
    .select(({ fn, case: when, lit }) => [
      fn.countAll<number>().as('total'),
      fn.count<number>(when().when('deactivated_at', 'is', null).then(lit(1)).end()).as('active'),
    ]),
);

/** How many superadmins may sign in, and how many of those have no second factor. */
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

/** How many sessions have not ended. */
export const countSessions = defineQuery('admin.countSessions', (db, { now }: { now: number }) =>
  db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('expires_at', '>', now),
);

/** How many users have signed in on each day (days since the epoch, UTC). */
export const countSignIns = defineQuery(
  'admin.countSignIns',
  (db, { since, until }: { since: number; until: number }) => {
    const day = sql<number>`at / ${sql.lit(DAY_MS)}`;
    return db
      .selectFrom('audit_events')
      .select(({ fn }) => [day.as('day'), fn.countAll<number>().as('count')])
      .where('event', '=', sql.lit('user.signed_in'))
      .where('at', '>=', since)
      .where('at', '<', until)
      .groupBy(day);
  },
);

/** The refusals since a moment, by their error. */
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

/** How many API tokens expire soon. */
export const countExpiringTokens = defineQuery(
  'admin.countExpiringTokens',
  (db, { now, until }: { now: number; until: number }) =>
    db
      .selectFrom('api_tokens')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('expires_at', '>', now)
      .where('expires_at', '<', until),
);

/** How many mails wait for another attempt. */
export const countWaitingMails = defineQuery('admin.countWaitingMails', (db, { now }: { now: number }) =>
  db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('attempts', '>', 0)
    .where('expires_at', '>', now),
);
