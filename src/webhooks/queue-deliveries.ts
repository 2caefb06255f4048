import { mayUseApplication } from '../applications/may-use-application.ts';
import { applicationByKey } from '../applications/queries.ts';
import type { Transaction } from '../db/handle.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { EventRecord } from '../events/event-record.ts';
import type { AppEvent } from '../events/event-types.ts';
import type { EventWriter } from '../events/record-event.ts';
import { DAY_MS } from '../lib/clock.ts';
import { randomHex } from '../lib/random.ts';
import { findUserById } from '../users/find-user.ts';
import { toUserJson } from '../users/schemas.ts';
import { parseList, type User } from '../users/user.ts';
import { activeWebhooks, insertDeliveries } from './queries.ts';
import { WaitingCounts } from './waiting-counts.ts';
import { EVERY_EVENT, webhookEvents } from './webhook.ts';

export const WEBHOOK = 'webhook';
/** How many deliveries can wait for one webhook. */
const MAX_WAITING = 10_000;
/** The error of a delivery that exceeds that limit. */
const OVERFLOW = 'too_many_waiting';
export const FAILED_KEPT_MS = 30 * DAY_MS;

/** Returns the warning for the operator about a delivery that failed at once. */
export const overflowWords = (webhook: string): string =>
  `a delivery to ${webhook} failed at once, because too many wait for it`;

export const newMessageId = (): string => `msg_${randomHex(16)}`;

/** The fields of an audit record that webhooks get. */
type ToldFields =
  | 'at'
  | 'event'
  | 'actor_type'
  | 'actor_id'
  | 'actor_name'
  | 'subject_id'
  | 'subject_name'
  | 'address'
  | 'application'
  | 'details';

/** Creates the JSON of a message. It is stored, so that each attempt sends the same bytes. */
export function messageBody(record: Pick<EventRecord, ToldFields>, id: number | null, user: User | undefined): string {
  const { actor_type, actor_id, actor_name, subject_id, subject_name, address, application, details } = record;
  return JSON.stringify({
    type: record.event,
    timestamp: new Date(record.at).toISOString(),
    data: {
      id,
      actor_type,
      actor_id,
      actor_name,
      subject_id,
      subject_name,
      address,
      application,
      details,
      user: user ? toUserJson(user) : null,
    },
  });
}

interface Rights {
  role: string;
  allowedApps: readonly string[];
  isActive: boolean;
}

/** Returns the rights of a user before and after the event. */
function rightsOf(user: User, event: AppEvent): Rights[] {
  const after = { role: user.role, allowedApps: user.allowedApps, isActive: user.deactivatedAt === null };
  if (!('from' in event.details)) return [after];
  const { role = after.role, allowed_apps: allowedApps = after.allowedApps, is_active } = event.details.from;
  return [{ role, allowedApps, isActive: is_active ?? after.isActive }, after];
}

/**
 * Returns whether an event concerns an application. It does if the event changes the application, or if the user of the
 * event may use the application before or after the event.
 */
async function isAboutApp(tx: Transaction, key: string, event: AppEvent, user: User | undefined): Promise<boolean> {
  if (event.type === 'application.changed') return event.details.key === key;
  const row = user && (await applicationByKey.first(tx, { key }));
  if (!row) return false;
  const application = { key, roles: parseList(row.roles), disabledAt: row.disabled_at };
  return rightsOf(user, event).some((rights) => rights.isActive && mayUseApplication(rights, application));
}

const isWebhookEvent = (type: string): boolean => webhookEvents.some((name) => name === type);

export interface QueueParts {
  outbox: Outbox;
  /** Called if a delivery fails at once because too many deliveries wait for its webhook. */
  onOverflow(webhook: string): void;
}

/**
 * Creates the writer that puts each event into the outbox, once for every webhook that subscribes to it. It runs in the
 * transaction of the change, after all subscribers. Events of imports are not sent.
 */
export const webhookWriter = ({ outbox, onOverflow }: QueueParts, counts = new WaitingCounts()): EventWriter => ({
  write: async (tx, record, { id: auditId, event }) => {
    if (!isWebhookEvent(event.type) || event.actor.isImport) return;
    const rows = await activeWebhooks.all(tx, {});
    const wanting = rows.filter(({ events }) =>
      [event.type, EVERY_EVENT].some((name) => parseList(events).includes(name)),
    );
    if (wanting.length === 0) return;
    const user = event.subject ? await findUserById(tx, event.subject.id) : undefined;
    const told: typeof wanting = [];
    for (const webhook of wanting)
      if (webhook.app === null || (await isAboutApp(tx, webhook.app, event, user))) told.push(webhook);
    if (told.length === 0) return;
    const body = messageBody(record, auditId, user);
    const about = event.subject ? `user ${event.subject.id}` : `application ${record.application}`;
    const waiting = await counts.add(
      tx,
      told.map(({ id }) => id),
    );
    const deliveries = told.map(({ id, key }) => ({
      key,
      fits: (waiting.get(id) ?? 0) < MAX_WAITING,
      row: { id: newMessageId(), webhook_id: id, audit_id: auditId, lane: `${id} ${about}`, created_at: record.at },
    }));
    await insertDeliveries.run(tx, {
      deliveries: deliveries.map(({ row, fits }) => ({
        ...row,
        event: event.type,
        body,
        status: fits ? 'waiting' : 'failed',
        error: fits ? null : OVERFLOW,
        expires_at: fits ? null : record.at + FAILED_KEPT_MS,
      })),
    });
    const messages = deliveries
      .filter(({ fits }) => fits)
      .map(({ row: { id, webhook_id: webhookId, lane, created_at: createdAt } }) => ({
        kind: WEBHOOK,
        id,
        webhookId,
        order: { lane, position: auditId },
        createdAt,
      }));
    if (messages.length > 0) await outbox.add(tx, messages);
    for (const { key } of deliveries.filter(({ fits }) => !fits)) tx.afterCommit(() => onOverflow(key));
  },
});
