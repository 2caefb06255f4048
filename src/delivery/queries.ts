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
 * Matches messages for which an earlier message of the same lane is waiting. Compares with the first message of the lane
 * instead of "an earlier one exists", because PostgreSQL would turn that into a join and read the lane once for each message.
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

/** Matches messages whose webhook is not disabled and for which no earlier message of the lane is waiting. */
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

/** Matches messages that no process has claimed. A claim that ends after `latest` was made by a wrong clock, and is ignored. */
const isFree = (now: number, latest: number) => (where: ExpressionBuilder<Schema, 'outbox'>) =>
  where.or([where('claimed_until', '<=', now), where('claimed_until', '>', latest)]);

/** The time for which due messages are searched. */
interface Moment {
  now: number;
  /** Claims that end after this time are ignored: see `isFree`. */
  latest: number;
}

interface Due extends Moment {
  kinds: readonly string[];
  /** Applications to which the maximum number of messages is being sent already. */
  full: readonly number[];
  limit: number;
}

/** Unclaimed due messages of these kinds that go to no webhook, and to no application in `full`. */
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
  /** Webhooks to which the maximum number of messages is being sent already. */
  full: readonly number[];
  /** Maximum number of messages for each webhook. */
  most: number;
}

/**
 * The first due messages for each active webhook that is not in `full`. `is_blocked` says whether an earlier message of the
 * lane is waiting. Messages that are marked as behind are left out.
 *
 * Each webhook is queried separately. So many waiting messages for one webhook do not slow down the query for another.
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
    // SQLite keeps the order of a cross join: it goes through the webhooks, and finds the messages of each by their ids.
    return active
      .crossJoin('outbox')
      .where((where) => where('outbox.id', 'in', firsts(where).select('outbox.id')))
      .select(columns)
      .select((where) => isBlocked(where).as('is_blocked'));
  },
);

/**
 * Marks a message as behind if it waits for an earlier message of its lane. Does nothing if `holder` lost the turn to
 * send.
 */
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

/** Unmarks the first message of a lane that is marked as behind, so that it can be found again. */
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

/** Unmarks all messages that are marked as behind. */
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

/** Claims messages for one attempt. Leaves out messages that another process has claimed first. */
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

/** Renews claims, except for messages whose attempt has ended. */
export const renewClaims = defineListQuery('outbox.renew', 'claims', (db, { claims, until }: RenewedClaims) =>
  db.updateTable('outbox').set({ claimed_until: until }).where(isOneOf(claims)).where('claimed_until', '>', 0),
);

/** Deletes messages that need no further attempt. Returns those whose claim this process still had. */
export const deleteMessages = defineListQuery(
  'outbox.delete',
  'claims',
  (db, { claims }: { claims: readonly Claim[] }) => db.deleteFrom('outbox').where(isOneOf(claims)).returning('id'),
);

/** Records a failed attempt: releases the message, counts the attempt and sets the time of the next one. */
export const postponeMessage = defineQuery('outbox.postpone', (db, { id, claim, at }: Claim & { at: number }) =>
  db
    .updateTable('outbox')
    .set((set) => ({ attempts: set('attempts', '+', 1), next_attempt_at: at, claimed_until: 0 }))
    .where('id', '=', id)
    .where('claimed_by', '=', claim),
);

/** Releases a message for other processes without counting an attempt. */
export const releaseMessage = defineQuery('outbox.release', (db, { id, claim }: Claim) =>
  db.updateTable('outbox').set({ claimed_until: 0 }).where('id', '=', id).where('claimed_by', '=', claim),
);

/** If a message would wait until after `latest`, makes it due now. Does not affect messages to webhooks. */
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
  /** The latest time that is plausible for a first attempt, whichever process added the message. */
  soonest: number;
  /** The latest time that is plausible for a later attempt. */
  latest: number;
}

/** Makes messages to webhooks due now if their time is implausibly late, because a wrong clock has set it. */
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

/** Makes all waiting messages to a webhook due now, or only the one with this id. */
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
  /** A turn that would last until after this time was set by a wrong clock, and is ignored. */
  latest: number;
}

/** Gives a holder the turn to send, unless another holder has it. */
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

/** A user's e-mail address, and whether the user is active. */
export const addressOfUser = defineQuery('outbox.addressOfUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('users').select(['email', 'deactivated_at']).where('id', '=', userId),
);
