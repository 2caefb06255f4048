import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineListQuery, defineQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface NewRow {
  id: string;
  kind: string;
  payload: string;
  linkHash: string | null;
  emailHash: string | null;
  applicationId: number | null;
  webhookId: number | null;
  lane: string | null;
  position: number | null;
  attempts: number;
  createdAt: number;
  now: number;
  expiresAt: number;
}

export const insertMessages = defineListQuery('outbox.insert', 'rows', (db, { rows }: { rows: readonly NewRow[] }) =>
  db.insertInto('outbox').values(
    rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      payload: row.payload,
      link_hash: row.linkHash,
      email_hash: row.emailHash,
      application_id: row.applicationId,
      webhook_id: row.webhookId,
      lane: row.lane,
      position: row.position,
      attempts: row.attempts,
      created_at: row.createdAt,
      next_attempt_at: row.now,
      expires_at: row.expiresAt,
    })),
  ),
);

/**
 * Whether an earlier message of its lane waits. It is compared with the first of the lane: PostgreSQL would make a join of
 * "one exists that is earlier", and read the lane once for each of its messages.
 */
const isBlocked = (where: ExpressionBuilder<Schema, 'outbox'>): ExpressionWrapper<Schema, 'outbox', SqlBool> =>
  where.and([
    where('outbox.lane', 'is not', null),
    where('outbox.position', '>', (of) =>
      of
        .selectFrom('outbox as earlier')
        .select('earlier.position')
        .whereRef('earlier.lane', '=', 'outbox.lane')
        .orderBy('earlier.position')
        .limit(1),
    ),
  ]);

/** Whether no earlier message of its lane waits, and its webhook is not disabled. */
const hasWay = (where: ExpressionBuilder<Schema, 'outbox'>): ExpressionWrapper<Schema, 'outbox', SqlBool> =>
  where.not(
    where.or([
      isBlocked(where),
      where.exists(
        where
          .selectFrom('webhooks')
          .select('webhooks.id')
          .whereRef('webhooks.id', '=', 'outbox.webhook_id')
          .where('webhooks.disabled_at', 'is not', null),
      ),
    ]),
  );

/** Whether no process has claimed it. A claim beyond `latest` has the time of a wrong clock, and counts for nothing. */
const isFree = (now: number, latest: number) => (where: ExpressionBuilder<Schema, 'outbox'>) =>
  where.or([where('claimed_until', '<=', now), where('claimed_until', '>', latest)]);

/** What a message must be to be sent at a moment. */
interface Moment {
  now: number;
  /** See `isFree`. */
  latest: number;
}

interface Due extends Moment {
  kinds: readonly string[];
  /** The applications that get nothing more now. */
  full: readonly number[];
  limit: number;
}

/** Due messages of these kinds that are not claimed, and go to no webhook and to no application that is `full`. */
export const dueMessages = defineDynamicQuery('outbox.due', (db, { kinds, full, now, latest, limit }: Due) =>
  db
    .selectFrom('outbox')
    .select(['id', 'application_id'])
    .where('webhook_id', 'is', null)
    .where('kind', 'in', kinds)
    .where('next_attempt_at', '<=', now)
    .where(isFree(now, latest))
    .where('expires_at', '>', now)
    .$if(full.length > 0, (query) =>
      query.where((where) => where.or([where('application_id', 'is', null), where('application_id', 'not in', full)])),
    )
    .orderBy('next_attempt_at')
    .limit(limit),
);

interface DueForWebhooks extends Moment {
  kind: string;
  /** The webhooks that get nothing more now. */
  full: readonly number[];
  /** How many for each webhook. */
  most: number;
}

/**
 * The first due messages for each active webhook that is not `full`; of each whether earlier ones of its lane wait. Messages
 * that were set behind are left out.
 *
 * Each webhook is looked at by itself, so that it does not matter how many messages wait for another one.
 */
export const dueForWebhooks = defineListQuery(
  'outbox.dueForWebhooks',
  'full',
  (db, { kind, full, now, latest, most }: DueForWebhooks, dialect) => {
    const columns = ['outbox.id', 'outbox.lane', 'webhooks.id as webhook_id'] as const;
    const firsts = (from: ExpressionBuilder<Schema, 'webhooks'>) =>
      from
        .selectFrom('outbox')
        .whereRef('outbox.webhook_id', '=', 'webhooks.id')
        .where('outbox.is_behind', '=', dialect.sql.lit(0))
        .where('outbox.next_attempt_at', '<=', now)
        .where('outbox.kind', '=', kind)
        .where(isFree(now, latest))
        .orderBy('outbox.next_attempt_at')
        .limit(most);
    const active = db
      .selectFrom('webhooks')
      .where('webhooks.disabled_at', 'is', null)
      .$if(full.length > 0, (query) => query.where('webhooks.id', 'not in', full));
    if (dialect.kind === 'postgres')
      return active
        .innerJoinLateral(
          (from) =>
            firsts(from)
              .select(['outbox.id', 'outbox.lane'])
              .select((where) => isBlocked(where).as('is_blocked'))
              .as('outbox'),
          (join) => join.onTrue(),
        )
        .select(columns)
        .select('outbox.is_blocked');
    // SQLite keeps the order of a cross join: for each webhook its messages by their ids.
    return active
      .crossJoin('outbox')
      .where((where) => where('outbox.id', 'in', firsts(where).select('outbox.id')))
      .select(columns)
      .select((where) => isBlocked(where).as('is_blocked'));
  },
);

/** Sets the messages of lanes behind the earlier ones, while this holder has the turn to send. */
export const setBehind = defineListQuery(
  'outbox.setBehind',
  'lanes',
  (db, { lanes, turn, holder }: { lanes: readonly string[]; turn: string; holder: string }) =>
    db
      .updateTable('outbox')
      .set({ is_behind: 1 })
      .where('lane', 'in', lanes)
      .where('is_behind', '=', 0)
      .where(isBlocked)
      .where((where) =>
        where.exists(
          where.selectFrom('outbox_turns').select('name').where('name', '=', turn).where('holder', '=', holder),
        ),
      ),
);

/** Lets the first of the messages of a lane that were set behind be looked at again. */
export const bringForward = defineQuery('outbox.bringForward', (db, { lane }: { lane: string }) =>
  db
    .updateTable('outbox')
    .set({ is_behind: 0 })
    .where('id', '=', (of) =>
      of
        .selectFrom('outbox')
        .select('id')
        .where('lane', '=', lane)
        .where('is_behind', '=', 1)
        .orderBy('position')
        .limit(1),
    ),
);

/** The same for all messages. */
export const bringAllForward = defineQuery('outbox.bringAllForward', (db) =>
  db
    .updateTable('outbox')
    .set({ is_behind: 0 })
    .where('webhook_id', 'in', (of) => of.selectFrom('webhooks').select('webhooks.id'))
    .where('is_behind', '=', 1),
);

interface Claim {
  id: string;
  claim: string;
}

interface NewClaim extends Moment {
  ids: readonly string[];
  claim: string;
  until: number;
}

/** Claims messages for one attempt. Returns those that no other process was faster with. */
export const claimMessages = defineListQuery(
  'outbox.claim',
  'ids',
  (db, { ids, claim, now, until, latest }: NewClaim) =>
    db
      .updateTable('outbox')
      .set({ claimed_by: claim, claimed_until: until })
      .where('id', 'in', ids)
      .where('next_attempt_at', '<=', now)
      .where(isFree(now, latest))
      .where('expires_at', '>', now)
      .where(hasWay)
      .returning([
        'id',
        'kind',
        'payload',
        'attempts',
        'created_at',
        'expires_at',
        'application_id',
        'webhook_id',
        'lane',
      ]),
);

const isOneOf = (claims: readonly Claim[]) => (where: ExpressionBuilder<Schema, 'outbox'>) =>
  where.or(claims.map(({ id, claim }) => where.and({ id, claimed_by: claim })));

interface RenewedClaims {
  claims: readonly Claim[];
  until: number;
}

/** Renews claims, except of messages whose attempt has ended. */
export const renewClaims = defineListQuery('outbox.renew', 'claims', (db, { claims, until }: RenewedClaims) =>
  db.updateTable('outbox').set({ claimed_until: until }).where(isOneOf(claims)).where('claimed_until', '>', 0),
);

/** Removes messages that were sent. Returns those whose claim was not lost. */
export const deleteMessages = defineListQuery(
  'outbox.delete',
  'claims',
  (db, { claims }: { claims: readonly Claim[] }) => db.deleteFrom('outbox').where(isOneOf(claims)).returning('id'),
);

/** Ends an attempt that failed. */
export const postponeMessage = defineQuery('outbox.postpone', (db, { id, claim, at }: Claim & { at: number }) =>
  db
    .updateTable('outbox')
    .set((set) => ({ attempts: set('attempts', '+', 1), next_attempt_at: at, claimed_until: 0 }))
    .where('id', '=', id)
    .where('claimed_by', '=', claim),
);

/** Releases a message for other processes, without counting an attempt. */
export const releaseMessage = defineQuery('outbox.release', (db, { id, claim }: Claim) =>
  db.updateTable('outbox').set({ claimed_until: 0 }).where('id', '=', id).where('claimed_by', '=', claim),
);

/** Makes messages due now that would wait for a time after `latest`. None of them goes to a webhook. */
export const attemptNoLater = defineDynamicQuery(
  'outbox.attemptNoLater',
  (db, { kinds, now, latest }: { kinds: readonly string[]; now: number; latest: number }) =>
    db
      .updateTable('outbox')
      .set({ next_attempt_at: now })
      .where('webhook_id', 'is', null)
      .where('kind', 'in', kinds)
      .where('next_attempt_at', '>', latest),
);

interface Times {
  now: number;
  /** No message waits longer for its first attempt, whatever process has added it. */
  soonest: number;
  /** Nor for another one. */
  latest: number;
}

/** Makes messages for webhooks due now that wait for a time of a wrong clock. */
export const correctTimes = defineQuery('outbox.correctTimes', (db, { now, soonest, latest }: Times) =>
  db
    .updateTable('outbox')
    .set((set) => ({
      next_attempt_at: now,
      created_at: set.case().when('created_at', '>', soonest).then(now).else(set.ref('created_at')).end(),
    }))
    .where('webhook_id', 'in', (of) => of.selectFrom('webhooks').select('webhooks.id'))
    .where('is_behind', 'in', [0, 1])
    .where('next_attempt_at', '>', soonest)
    .where((where) => where.or([where('attempts', '=', 0), where('next_attempt_at', '>', latest)])),
);

/** Makes the waiting messages for a webhook due now, or one of them. */
export const attemptNow = defineDynamicQuery(
  'outbox.attemptNow',
  (db, { webhookId, id, now }: { webhookId: number; id: string | undefined; now: number }) =>
    db
      .updateTable('outbox')
      .set({ next_attempt_at: now })
      .where('webhook_id', '=', webhookId)
      .$if(id !== undefined, (query) => query.where('id', '=', id ?? '')),
);

interface TakenTurn {
  name: string;
  holder: string;
  now: number;
  until: number;
  /** A turn that is held for longer has the time of a wrong clock, and counts for nothing. */
  latest: number;
}

/** Gives the turn to send to a holder, unless another one holds it. */
export const takeTurn = defineQuery('outbox.takeTurn', (db, { name, holder, now, until, latest }: TakenTurn) =>
  db
    .insertInto('outbox_turns')
    .values({ name, holder, held_until: until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((set) => ({
          holder: set.ref('excluded.holder'),
          held_until: set.ref('excluded.held_until'),
        }))
        .where((where) =>
          where.or([
            where('outbox_turns.held_until', '<=', now),
            where('outbox_turns.held_until', '>', latest),
            where('outbox_turns.holder', '=', where.ref('excluded.holder')),
          ]),
        ),
    )
    .returning('name'),
);

export const endTurn = defineQuery('outbox.endTurn', (db, { name, holder }: { name: string; holder: string }) =>
  db.updateTable('outbox_turns').set({ held_until: 0 }).where('name', '=', name).where('holder', '=', holder),
);

/** Deletes some messages that were not sent in time. */
export const deleteExpiredMessages = defineDynamicQuery(
  'outbox.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('outbox')
      .where(
        'id',
        'in',
        db.selectFrom('outbox').select('id').where('expires_at', '<=', now).limit(most).$call(skipLocked(kind)),
      ),
);

/** The address of a user, and whether the user is active. */
export const addressOfUser = defineQuery('outbox.addressOfUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('users').select(['email', 'deactivated_at']).where('id', '=', userId),
);
