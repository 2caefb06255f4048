import type { DataSealer } from '../db/data-keys.ts';
import type { Transaction } from '../db/handle.ts';
import type { Clock } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { insertMessages } from './queries.ts';

const PURPOSE = 'outbox';
/** How many messages one statement adds. */
const MAX_ROWS = 500;

/** A message to send. */
export interface NewMessage {
  kind: string;
  /** Unless given, a new one. */
  id?: string;
  /** The data for the sender of its kind; sealed in the database. Unless given, the sender finds them by the id. */
  payload?: object;
  /** The link in the message. When the link ends, the message is dropped. */
  linkHash?: string;
  /** The same for a link that confirms an e-mail address. */
  emailHash?: string;
  /** The application that receives it. When the application is removed, the message is dropped. */
  applicationId?: number;
  /** The webhook that receives it. When the webhook is removed, the message is dropped; while it is disabled, it waits. */
  webhookId?: number;
  /** A message waits until those of its lane with a lower position are sent or given up. */
  order?: { lane: string; position: number };
  /** The earlier attempts, of a message that was given up before. */
  attempts?: number;
  /** Unless given, now. */
  createdAt?: number;
  /** Until when sending is retried. Unless given, its sender decides. */
  expiresAt?: number;
}

/** Writes messages in the transaction of their cause. */
export interface Outbox {
  add(tx: Transaction, messages: NewMessage | readonly NewMessage[]): Promise<void>;
}

declare module '../http/route.ts' {
  interface Services {
    outbox: Outbox;
  }
}

declare module '../command/context.ts' {
  interface CommandServices {
    outbox: Outbox;
  }
}

interface OutboxParts {
  /** Opens the data keys, with a handle that may be a transaction. */
  dataSealer(tx: Transaction): Promise<DataSealer>;
  clock: Clock;
  /** Called once a message is committed. */
  wake?: () => void;
}

/** The text of a payload in the database; empty for none. */
const sealPayload = (sealer: DataSealer, payload: object): string => sealer.seal(PURPOSE, JSON.stringify(payload));

/** @throws Error if no data key opens it */
export function openPayload(sealer: Pick<DataSealer, 'open'>, sealed: string): unknown {
  const text = sealer.open(PURPOSE, sealed);
  if (text === undefined) throw new Error('no data key opens the message');
  return JSON.parse(text);
}

/** Makes the outbox of a process. */
export const createOutbox = ({ dataSealer, clock, wake = () => undefined }: OutboxParts): Outbox => ({
  add: async (tx, given) => {
    const now = clock.now();
    const messages = [given].flat();
    const seal = async (payload: object | undefined) =>
      payload === undefined ? '' : sealPayload(await dataSealer(tx), payload);
    const toRow = async ({ payload, order, ...message }: NewMessage) => ({
      id: message.id ?? newUuid(),
      kind: message.kind,
      payload: await seal(payload),
      linkHash: message.linkHash ?? null,
      emailHash: message.emailHash ?? null,
      applicationId: message.applicationId ?? null,
      webhookId: message.webhookId ?? null,
      lane: order?.lane ?? null,
      position: order?.position ?? null,
      attempts: message.attempts ?? 0,
      createdAt: message.createdAt ?? now,
      now,
      expiresAt: message.expiresAt ?? Number.MAX_SAFE_INTEGER,
    });
    for (let done = 0; done < messages.length; done += MAX_ROWS) {
      const rows = await Promise.all(messages.slice(done, done + MAX_ROWS).map(toRow));
      await insertMessages.run(tx, { rows });
    }
    tx.afterCommit(wake);
  },
});
