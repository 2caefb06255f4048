import { setTimeout as rest } from 'node:timers/promises';
import type { DataSealer } from '../db/data-keys.ts';
import type { Database, Handle, Transaction } from '../db/handle.ts';
import { CLOCK_TOLERANCE_MS, type Clock, HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import {
  attemptAllNow,
  claimMessages,
  deleteMessage,
  dueMessages,
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
  /** Keeps the outcome for the receiver, whose row it locks; first in the transaction that ends the attempt. */
  recordReceiver(tx: Transaction, outcome: Outcome): Promise<void>;
  /** Keeps the outcome of the message, unless its claim was lost. */
  recordMessage(tx: Transaction, outcome: Outcome): Promise<void>;
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
  /** How long it waits for further messages after one was committed. */
  gatherMs?: number;
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

/** An attempt of which a record is kept. */
interface EndedAttempt {
  message: Claimed;
  attempt: Attempt;
  outcome: Outcome;
  /** Ends the message, or lets it wait. Returns 0 if the claim was lost. */
  end(handle: Handle): Promise<number>;
}

/** How long ended attempts wait for others, which are recorded in the same transaction. */
const GATHER_MS = 5;
/** How many messages are claimed at once. */
const MAX_CLAIMED = 50;

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
  #ended: EndedAttempt[] = [];
  #recording: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waking: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Whether the last look has failed. A lasting failure is reported once. */
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
    starting.catch((error: unknown) => onTrouble(error, {})).finally(() => this.#lookNow());
    this.#timer = setInterval(() => this.#lookNow(), this.#parts.pollMs ?? POLL_MS).unref();
  }

  /** Looks for due messages soon, because there is one. */
  wake(): void {
    const { gatherMs } = this.#parts;
    if (gatherMs === undefined) this.#lookNow();
    else this.#waking ??= setTimeout(() => this.#lookNow(), gatherMs).unref();
  }

  #lookNow(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    if (this.#stop.signal.aborted) return;
    if (this.#isLooking) this.#looksAgain = true;
    else void this.#look();
  }

  /** Cancels the current attempts. Other processes, or the next start, try again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#waking);
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
          const messages = await this.#claim(Math.min(MAX_CLAIMED, atOnce - this.#atWork.size));
          for (const message of messages) this.#begin(message);
          if (messages.length === 0) break;
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

  #begin(message: Claimed): void {
    const { target } = message;
    this.#count(target, 1);
    const work: Promise<void> = this.#attempt(message).finally(() => {
      this.#count(target, -1);
      this.#atWork.delete(work);
      this.#lookNow();
    });
    this.#atWork.add(work);
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

  async #claim(limit: number): Promise<Claimed[]> {
    const { database, clock, perTarget = Number.POSITIVE_INFINITY } = this.#parts;
    const now = clock.now();
    const until = now + CLAIM_MS;
    const latest = until + CLOCK_TOLERANCE_MS;
    const due = await dueMessages.all(database, { kinds: this.#kinds, full: this.#full(), now, latest, limit });
    const busy = new Map(this.#busy);
    const fitting = due.filter(({ application_id, webhook_id }) => {
      const target = application_id ?? webhook_id;
      if (target === null) return true;
      const count = (busy.get(target) ?? 0) + 1;
      busy.set(target, count);
      return count <= perTarget;
    });
    if (fitting.length === 0) return [];
    const claim = newUuid();
    const ids = fitting.map(({ id }) => id);
    const rows = await claimMessages.all(database, { ids, claim, now, until, latest });
    if (rows.length < ids.length) this.#looksAgain = true;
    return rows.map((row) => ({ ...row, target: row.application_id ?? row.webhook_id, claim }));
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
      onTrouble(error, { kind });
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
    const end = (handle: Handle) =>
      at === undefined ? deleteMessage.run(handle, { id, claim }) : postponeMessage.run(handle, { id, claim, at });
    if (attempt) await this.#record({ message, attempt, outcome, end });
    else await end(database);
    onAttempt?.(kind, outcome);
  }

  /** Ends an attempt, together with others that end within a moment. */
  async #record(ended: EndedAttempt): Promise<void> {
    this.#ended.push(ended);
    this.#recording ??= this.#recordSoon();
    await this.#recording;
  }

  async #recordSoon(): Promise<void> {
    await rest(GATHER_MS);
    this.#recording = undefined;
    const ended = this.#ended.splice(0).sort((a, b) => (a.message.target ?? 0) - (b.message.target ?? 0));
    await this.#parts.database.transaction(async (tx) => {
      for (const { attempt, outcome } of ended) await attempt.recordReceiver(tx, outcome);
      for (const { attempt, outcome, end } of ended) if ((await end(tx)) > 0) await attempt.recordMessage(tx, outcome);
    });
  }
}
