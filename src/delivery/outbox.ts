import type { DataSealer } from '../db/data-keys.ts';
import type { Database, Handle, Transaction } from '../db/handle.ts';
import { CLOCK_TOLERANCE_MS, type Clock, HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import {
  attemptAllNow,
  claimMessage,
  deleteMessage,
  dueMessage,
  insertMessages,
  postponeMessage,
  releaseMessage,
  renewClaim,
} from './queries.ts';

const PURPOSE = 'outbox';
const POLL_MS = SECOND_MS;
/**
 * A claim is renewed during its attempt, so that other processes soon take over the messages of a process that died.
 */
const CLAIM_MS = 6 * SECOND_MS;
const RENEW_MS = 2 * SECOND_MS;
const MAX_AT_ONCE = 4;
const FIRST_DELAY_MS = 10 * SECOND_MS;

/** How many messages one statement adds. */
const MAX_ROWS = 500;

/** How long a message waits after a number of failed attempts. */
export const delayAfter = (attempts: number): number => Math.min(HOUR_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));

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

/** Makes the outbox of a process. */
export const createOutbox = ({ dataSealer, clock, wake = () => undefined }: OutboxParts): Outbox => ({
  add: async (tx, given) => {
    const now = clock.now();
    const messages = [given].flat();
    const seal = async (payload: object | undefined) =>
      payload === undefined ? '' : (await dataSealer(tx)).seal(PURPOSE, JSON.stringify(payload));
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

/** A message that this process is trying to send. */
export interface Message {
  id: string;
  /** Undefined if it has none. */
  payload: unknown;
}

export type Outcome = 'delivered' | 'retried' | 'failed';

/** What came of an attempt, where its sender keeps a record. */
export interface Attempt {
  /** Undefined: the message was delivered. */
  failure: Error | undefined;
  /** Keeps the outcome, first in the transaction that ends the attempt. */
  record(tx: Transaction, outcome: Outcome): Promise<void>;
}

/** What a delay depends on: a message that could not be sent. */
export interface FailedMessage {
  createdAt: number;
  now: number;
  failure: unknown;
}

/** Sends the messages of one kind. */
export interface Sender {
  kind: string;
  /** How long a message waits after a number of failed attempts, undefined: it is given up; `delayAfter` if not given. */
  delayAfter?: (attempts: number, message: FailedMessage) => number | undefined;
  /** Throws if the message could not be sent, or says so in the attempt. Then it is retried later. */
  send(message: Message, signal: AbortSignal): Promise<Attempt | undefined>;
}

export interface WorkerParts {
  database: Database;
  dataSealer: DataSealer;
  clock: Clock;
  senders: readonly Sender[];
  /** An attempt failed, or the outbox could not be read. */
  onTrouble(error: unknown, facts: { kind?: string; attempts?: number }): void;
  /** Told what came of each attempt. */
  onAttempt?: ((kind: string, outcome: Outcome) => void) | undefined;
  /** How many messages are sent at once; of them to one application or webhook. */
  atOnce?: number;
  perTarget?: number;
  /** How often it is looked for what other processes have added. */
  pollMs?: number;
  /** Whether the start makes every waiting message due. */
  startsAnew?: boolean;
  /** Whether this process may send now. */
  maySend?: () => Promise<boolean>;
  /** Called when no attempt is left. */
  onStopped?: () => Promise<void>;
}

interface Claimed {
  id: string;
  kind: string;
  payload: string;
  attempts: number;
  /** The application or webhook that it goes to. */
  target: number | null;
  claim: string;
  created_at: number;
  expires_at: number;
}

/** The row of a message was claimed by another process, or is gone. */
class ClaimLost extends Error {}

/**
 * Sends the messages of the outbox: at once, after ten seconds, then at doubled intervals of up to an hour.
 *
 * A guarded update gives each message to one process at a time. No message blocks another one.
 */
export class OutboxWorker {
  readonly #parts: WorkerParts;
  readonly #kinds: readonly string[];
  readonly #atWork = new Set<Promise<void>>();
  /** How many messages are being sent to each application or webhook. */
  readonly #busy = new Map<number, number>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Whether the last look has failed. What goes on failing is told once. */
  #isBlind = false;
  #looksAgain = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#kinds = parts.senders.map(({ kind }) => kind);
  }

  /** Sends all waiting messages, and from now on those that become due. */
  start(): void {
    const { database, clock, onTrouble, startsAnew = true } = this.#parts;
    const starting = startsAnew
      ? attemptAllNow.run(database, { kinds: this.#kinds, now: clock.now() })
      : Promise.resolve();
    starting.catch((error: unknown) => onTrouble(error, {})).finally(() => this.wake());
    this.#timer = setInterval(() => this.wake(), this.#parts.pollMs ?? POLL_MS).unref();
  }

  /** Looks for due messages now. */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#isLooking) this.#looksAgain = true;
    else void this.#look();
  }

  /** Cancels the current attempts. Other processes, or the next start, try again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await Promise.all(this.#atWork);
    await this.#parts.onStopped?.();
  }

  async #look(): Promise<void> {
    const { atOnce = MAX_AT_ONCE, maySend = async () => true } = this.#parts;
    this.#isLooking = true;
    try {
      do {
        this.#looksAgain = false;
        while (this.#atWork.size < atOnce && !this.#stop.signal.aborted && (await maySend())) {
          const message = await this.#claim();
          if (!message) break;
          const { target } = message;
          this.#count(target, 1);
          const work: Promise<void> = this.#attempt(message).finally(() => {
            this.#count(target, -1);
            this.#atWork.delete(work);
            this.wake();
          });
          this.#atWork.add(work);
        }
      } while (this.#looksAgain);
      this.#isBlind = false;
    } catch (error) {
      if (!this.#isBlind) this.#parts.onTrouble(error, {});
      this.#isBlind = true;
    } finally {
      this.#isLooking = false;
    }
  }

  #count(target: number | null, by: 1 | -1): void {
    if (target === null) return;
    const count = (this.#busy.get(target) ?? 0) + by;
    if (count > 0) this.#busy.set(target, count);
    else this.#busy.delete(target);
  }

  /** Those that as many messages are being sent to as one may take. */
  #full(): number[] {
    const { perTarget = Number.POSITIVE_INFINITY } = this.#parts;
    return [...this.#busy].flatMap(([id, count]) => (count >= perTarget ? [id] : []));
  }

  async #claim(): Promise<Claimed | undefined> {
    const { database, clock } = this.#parts;
    const now = clock.now();
    const until = now + CLAIM_MS;
    const latest = until + CLOCK_TOLERANCE_MS;
    const due = await dueMessage.first(database, { kinds: this.#kinds, full: this.#full(), now, latest });
    if (!due) return undefined;
    const claim = newUuid();
    const row = await claimMessage.first(database, { id: due.id, claim, now, until, latest });
    if (!row) this.#looksAgain = true;
    return row && { ...row, target: row.application_id ?? row.webhook_id, claim };
  }

  async #attempt(message: Claimed): Promise<void> {
    const { database, clock, onTrouble } = this.#parts;
    const { id, kind, claim } = message;
    const renew = () => renewClaim.run(database, { id, claim, until: clock.now() + CLAIM_MS }).catch(() => undefined);
    const renewing = setInterval(() => void renew(), RENEW_MS);
    try {
      await this.#sendAndEnd(message);
    } catch (error) {
      // The message is sent again once its claim has ended.
      if (!(error instanceof ClaimLost)) onTrouble(error, { kind });
    } finally {
      clearInterval(renewing);
    }
  }

  async #sendAndEnd(message: Claimed): Promise<void> {
    let attempt: Attempt | undefined;
    let failure: unknown;
    try {
      attempt = await this.#send(message);
      failure = attempt?.failure;
    } catch (error) {
      failure = error;
    }
    if (failure !== undefined && this.#stop.signal.aborted) await releaseMessage.run(this.#parts.database, message);
    else await this.#end(message, attempt, failure);
  }

  async #send({ id, kind, payload: sealed }: Claimed): Promise<Attempt | undefined> {
    const { dataSealer, senders } = this.#parts;
    const text = sealed === '' ? 'null' : dataSealer.open(PURPOSE, sealed);
    if (text === undefined) throw new Error('no data key opens the message');
    const payload: unknown = JSON.parse(text) ?? undefined;
    return senders.find((one) => one.kind === kind)?.send({ id, payload }, this.#stop.signal);
  }

  /** Ends an attempt: the message goes, or waits for the next one. */
  async #end(message: Claimed, attempt: Attempt | undefined, failure: unknown): Promise<void> {
    const { database, clock, senders, onTrouble, onAttempt } = this.#parts;
    const { id, kind, claim, created_at: createdAt, expires_at: expiresAt } = message;
    const attempts = message.attempts + 1;
    const now = clock.now();
    const delayOf = senders.find((one) => one.kind === kind)?.delayAfter ?? delayAfter;
    const delay = failure === undefined ? undefined : delayOf(attempts, { createdAt, now, failure });
    const at = delay === undefined ? undefined : now + delay;
    const failed = at !== undefined && at < expiresAt ? 'retried' : 'failed';
    const outcome: Outcome = failure === undefined ? 'delivered' : failed;
    if (failure !== undefined) onTrouble(failure, { kind, attempts });
    const endMessage = (handle: Handle) =>
      at === undefined ? deleteMessage.run(handle, { id, claim }) : postponeMessage.run(handle, { id, claim, at });
    if (attempt) {
      await database.transaction(async (tx) => {
        await attempt.record(tx, outcome);
        if ((await endMessage(tx)) === 0) throw new ClaimLost();
      });
    } else await endMessage(database);
    onAttempt?.(kind, outcome);
  }
}
