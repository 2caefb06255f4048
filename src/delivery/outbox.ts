import type { DataSealer } from '../db/data-keys.ts';
import type { Database, Transaction } from '../db/handle.ts';
import { type Clock, HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import {
  attemptAllNow,
  claimMessage,
  deleteMessage,
  dueMessage,
  insertMessage,
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

/** How long a message waits after a number of failed attempts. */
export const delayAfter = (attempts: number): number => Math.min(HOUR_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));

/** A message to send. */
export interface NewMessage {
  kind: string;
  /** The data for the sender of its kind; sealed in the database. */
  payload: object;
  /** The link in the message. When the link ends, the message is dropped. */
  linkHash?: string;
  /** The same for a link that confirms an e-mail address. */
  emailHash?: string;
  /** The application that receives it. When the application is removed, the message is dropped. */
  applicationId?: number;
  /** Until when sending is retried. */
  expiresAt: number;
}

/** Writes messages in the transaction of their cause. */
export interface Outbox {
  add(tx: Transaction, message: NewMessage): Promise<void>;
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
  add: async (tx, { kind, payload, linkHash = null, emailHash = null, applicationId = null, expiresAt }) => {
    const sealed = (await dataSealer(tx)).seal(PURPOSE, JSON.stringify(payload));
    const facts = { linkHash, emailHash, applicationId, now: clock.now(), expiresAt };
    const row = { id: newUuid(), kind, payload: sealed, ...facts };
    await insertMessage.run(tx, row);
    tx.afterCommit(wake);
  },
});

/** A message that this process is trying to send. */
export interface Message {
  id: string;
  payload: unknown;
}

/** Sends the messages of one kind. */
export interface Sender {
  kind: string;
  /** How long a message waits after a number of failed attempts; `delayAfter` if not given. */
  delayAfter?: (attempts: number) => number;
  /** Throws if the message could not be sent. Then it is retried later. */
  send(message: Message, signal: AbortSignal): Promise<void>;
}

export interface WorkerParts {
  database: Database;
  dataSealer: DataSealer;
  clock: Clock;
  senders: readonly Sender[];
  /** An attempt failed, or the outbox could not be read. */
  onTrouble(error: unknown, facts: { kind?: string; attempts?: number }): void;
  /** Told what came of each attempt. */
  onAttempt?: ((kind: string, outcome: 'delivered' | 'retried' | 'failed') => void) | undefined;
  /** How many messages are sent at once; of them to one application. */
  atOnce?: number;
  perApplication?: number;
  /** How often it is looked for what other processes have added. */
  pollMs?: number;
  /** Whether there can be messages at all. */
  isUsed?: () => Promise<boolean>;
}

interface Claimed {
  id: string;
  kind: string;
  payload: string;
  attempts: number;
  applicationId: number | null;
  claim: string;
  expires_at: number;
}

/**
 * Sends the messages of the outbox: at once, after ten seconds, then at doubled intervals of up to an hour.
 *
 * A guarded update gives each message to one process at a time. No message blocks another one.
 */
export class OutboxWorker {
  readonly #parts: WorkerParts;
  readonly #kinds: readonly string[];
  readonly #atWork = new Set<Promise<void>>();
  /** How many messages are being sent to each application. */
  readonly #busy = new Map<number, number>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #looksAgain = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#kinds = parts.senders.map(({ kind }) => kind);
  }

  /** Sends all waiting messages, and from now on those that become due. */
  start(): void {
    const { database, clock, onTrouble } = this.#parts;
    attemptAllNow
      .run(database, { kinds: this.#kinds, now: clock.now() })
      .catch((error: unknown) => onTrouble(error, {}))
      .finally(() => this.wake());
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
  }

  async #look(): Promise<void> {
    const { atOnce = MAX_AT_ONCE, isUsed = async () => true } = this.#parts;
    this.#isLooking = true;
    try {
      do {
        this.#looksAgain = false;
        while (this.#atWork.size < atOnce && !this.#stop.signal.aborted && (await isUsed())) {
          const message = await this.#claim();
          if (!message) break;
          const { applicationId } = message;
          this.#count(applicationId, 1);
          const work: Promise<void> = this.#attempt(message).finally(() => {
            this.#count(applicationId, -1);
            this.#atWork.delete(work);
            this.wake();
          });
          this.#atWork.add(work);
        }
      } while (this.#looksAgain);
    } catch (error) {
      this.#parts.onTrouble(error, {});
    } finally {
      this.#isLooking = false;
    }
  }

  #count(applicationId: number | null, by: 1 | -1): void {
    if (applicationId === null) return;
    const count = (this.#busy.get(applicationId) ?? 0) + by;
    if (count > 0) this.#busy.set(applicationId, count);
    else this.#busy.delete(applicationId);
  }

  /** The applications that as many messages are being sent to as one may take. */
  #full(): number[] {
    const { perApplication = Number.POSITIVE_INFINITY } = this.#parts;
    return [...this.#busy].flatMap(([id, count]) => (count >= perApplication ? [id] : []));
  }

  async #claim(): Promise<Claimed | undefined> {
    const { database, clock } = this.#parts;
    const due = await dueMessage.first(database, { kinds: this.#kinds, full: this.#full(), now: clock.now() });
    if (!due) return undefined;
    const claim = newUuid();
    const now = clock.now();
    const row = await claimMessage.first(database, { id: due.id, claim, now, until: now + CLAIM_MS });
    if (!row) this.#looksAgain = true;
    return row && { ...row, applicationId: row.application_id, claim };
  }

  async #attempt({ id, kind, payload: sealed, attempts, claim, expires_at }: Claimed): Promise<void> {
    const { database, dataSealer, clock, senders, onTrouble, onAttempt } = this.#parts;
    const { signal } = this.#stop;
    const sender = senders.find((one) => one.kind === kind);
    const renew = () => renewClaim.run(database, { id, claim, until: clock.now() + CLAIM_MS }).catch(() => undefined);
    const renewing = setInterval(() => void renew(), RENEW_MS);
    try {
      const text = dataSealer.open(PURPOSE, sealed);
      if (text === undefined) throw new Error('no data key opens the message');
      const payload: unknown = JSON.parse(text);
      await sender?.send({ id, payload }, signal);
      await deleteMessage.run(database, { id, claim });
      onAttempt?.(kind, 'delivered');
    } catch (error) {
      if (signal.aborted) await releaseMessage.run(database, { id, claim }).catch(() => undefined);
      else {
        onTrouble(error, { kind, attempts: attempts + 1 });
        const at = clock.now() + (sender?.delayAfter ?? delayAfter)(attempts + 1);
        onAttempt?.(kind, at < expires_at ? 'retried' : 'failed');
        await postponeMessage
          .run(database, { id, claim, at })
          .catch((failure: unknown) => onTrouble(failure, { kind }));
      }
    } finally {
      clearInterval(renewing);
    }
  }
}
