import { defineQuery } from '../db/query.ts';

const MAX_COUNTED = 100_000;

/** Returns how many messages of a kind wait to be sent. Stops counting at MAX_COUNTED. */
export const waitingMessages = defineQuery('metrics.waiting', (db, { kind, now }: { kind: string; now: number }) =>
  db
    .selectFrom(
      db
        .selectFrom('outbox')
        .select('id')
        .where('kind', '=', kind)
        .where('expires_at', '>', now)
        .limit(MAX_COUNTED)
        .as('waiting'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count')),
);
