import type { DataSealer } from '../db/data-keys.ts';
import type { Transaction } from '../db/handle.ts';
import type { Clock } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { insertMessages } from './queries.ts';

const PURPOSE = 'outbox';
/** Maximum number of messages that one statement inserts. */
const MAX_ROWS = 500;

/** A message that will be sent to another server. */
export interface NewMessage {
  kind: string;
  /** Default: a new random id. */
  id?: string;
  /** Data for the sender of this kind, sealed in the database. Without a payload, the sender finds its data by the id. */
  payload?: object;
  /** The welcome link that the message contains. When the link is deleted, the message is deleted too. */
  linkHash?: string;
  /** The e-mail confirmation link that the message contains. When the link is deleted, the message is deleted too. */
  emailHash?: string;
  /** The receiving application. When it is removed, the message is deleted. */
  applicationId?: number;
  /** The receiving webhook. When it is removed, the message is deleted. While it is disabled, the message waits. */
  webhookId?: number;
  /** The message waits until all messages of its lane with a lower position are sent or given up. */
  order?: { lane: string; position: number };
  /** Number of earlier attempts, for a message that is sent again after it was given up. */
  attempts?: number;
  /** Default: now. */
  createdAt?: number;
  /** When sending is given up. By default the sender of this kind decides. */
  expiresAt?: number;
}

/** Writes messages in the transaction of the change that causes them. */
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
  /** Opens the data keys. The handle may be a transaction. */
  dataSealer(tx: Transaction): Promise<DataSealer>;
  clock: Clock;
  /** Called after a message is committed. */
  wake?: () => void;
}

/** Returns the sealed text of a payload. */
const sealPayload = (sealer: DataSealer, payload: object): string => sealer.seal(PURPOSE, JSON.stringify(payload));

/** Opens a sealed payload. @throws Error if no data key opens it */
export function openPayload(sealer: Pick<DataSealer, 'open'>, sealed: string): unknown {
  const text = sealer.open(PURPOSE, sealed);
  if (text === undefined) throw new Error('no data key opens the message');
  return JSON.parse(text);
}

/** Creates the outbox of a process. */
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
