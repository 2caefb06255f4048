import { setMaxListeners } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import type { DataSealer } from '../db/data-keys.ts';
import type { Database, Handle, Transaction } from '../db/handle.ts';
import { CLOCK_TOLERANCE_MS, type Clock, SECOND_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { dueFinder, type Finder } from './due-messages.ts';
import { openPayload } from './outbox.ts';
import {
  attemptNoLater,
  claimMessages,
  deleteMessages,
  postponeMessage,
  releaseMessage,
  renewClaims,
} from './queries.ts';
import { type Attempt, delayAfter, MAX_DELAY_MS, type Outcome, type Sender } from './sender.ts';

const POLL_MS = SECOND_MS;
/**
 * How long a claim on a message lasts. It is renewed while the message is being sent. So if a process dies, others soon take
 * over its messages.
 */
const CLAIM_MS = 5 * SECOND_MS;
const RENEW_MS = 2 * SECOND_MS;
/** How often the worker corrects messages whose time a wrong clock has set too late. */
const CORRECT_MS = 5 * SECOND_MS;
const MAX_AT_ONCE = 4;

export interface WorkerParts {
  database: Database;
  dataSealer: DataSealer;
  clock: Clock;
  senders: readonly Sender[];
  /** Called when an attempt failed, or when the outbox could not be read. */
  onTrouble(error: unknown, facts: { kind?: string; attempts?: number }): void;
  /** Called with the outcome of each attempt. */
  onAttempt?: ((kind: string, outcome: Outcome) => void) | undefined;
  /** Maximum number of messages sent at a time: in total (`atOnce`), and to one application or webhook (`perTarget`). */
  atOnce?: number;
  perTarget?: number;
  /** Finds due messages. By default they need not wait for each other. */
  finder?: Finder;
  /** How often the worker looks for messages that other processes have added. */
  pollMs?: number;
  /** How long the worker waits for more messages after one was committed. */
  gatherMs?: number;
  /** Whether the start makes all waiting messages due. If so, the worker also corrects times that a wrong clock set too late. */
  startsAnew?: boolean;
  /** Returns whether a message can be sent at the moment. If not, the worker does not query the outbox. Default: always. */
  maySend?: () => Promise<boolean>;
  /** Called when the worker has stopped and no attempt is running. */
  onStopped?: () => Promise<void>;
}

interface Claimed {
  id: string;
  kind: string;
  payload: string;
  attempts: number;
  /** The application or webhook that receives the message. */
  target: number | null;
  lane: string | null;
  claim: string;
  created_at: number;
  expires_at: number;
}

/** An attempt that has ended, but is not yet recorded in the database. */
interface EndedAttempt {
  message: Claimed;
  attempt: Attempt<unknown> | undefined;
  outcome: Outcome;
  /** When the next attempt is due. Undefined if there is no next attempt. The message is then deleted. */
  at: number | undefined;
}

/** For messages without a payload: the id of each message, and the function that sends it. */
type Prepared = Awaited<ReturnType<NonNullable<Sender['prepare']>>>;

/** How long the worker waits for more ended attempts, to record them in the same transaction. */
const GATHER_MS = 5;
/** Maximum number of messages that one query claims. */
const MAX_CLAIMED = 50;

/**
 * Sends the messages of the outbox. By default it sends a message at once, again after ten seconds, and then at intervals
 * that double up to an hour. A sender can set other delays.
 *
 * A guarded update claims each message for one process at a time. A message that fails blocks only later messages of its
 * lane.
 */
export class OutboxWorker {
  readonly #parts: WorkerParts;
  readonly #kinds: readonly string[];
  readonly #finder: Finder;
  readonly #atWork = new Set<Promise<void>>();
  /** Number of messages that are being sent to each application or webhook. */
  readonly #busy = new Map<number, number>();
  /** The messages that are being sent. */
  readonly #claimed = new Set<Claimed>();
  readonly #stop = new AbortController();
  #ended: EndedAttempt[] = [];
  #recording: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #waking: NodeJS.Timeout | undefined;
  #correcting: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Whether the last query for due messages failed. A failure that lasts is reported only once. */
  #isBlind = false;
  #looksAgain = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#kinds = parts.senders.map(({ kind }) => kind);
    // Each attempt adds a listener to the signal, so there is no limit at which Node.js should warn of a leak.
    setMaxListeners(0, this.#stop.signal);
    this.#finder = parts.finder ?? dueFinder(parts.perTarget ?? Number.POSITIVE_INFINITY);
  }

  /** Sends all waiting messages, and later ones as they become due. */
  start(): void {
    const { onTrouble, startsAnew = true } = this.#parts;
    const starting = startsAnew ? this.#attemptNoLater(0) : Promise.resolve();
    starting.catch((error: unknown) => onTrouble(error, {})).finally(() => this.#lookNow());
    if (startsAnew) this.#correcting = setInterval(() => void this.#correctTimes(), CORRECT_MS).unref();
    this.#timer = setInterval(() => this.#lookNow(), this.#parts.pollMs ?? POLL_MS).unref();
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  /** Tells the worker that there is a due message. It looks for it at once, or after `gatherMs`. */
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

  /** Cancels the running attempts. Other processes try again, or this one after its next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#waking);
    clearInterval(this.#correcting);
    this.#stop.abort();
    await Promise.all(this.#atWork);
    clearInterval(this.#renewing);
    await this.#parts.onStopped?.();
  }

  /** If a message would wait longer than `waitMs`, makes it due now. */
  #attemptNoLater(waitMs: number): Promise<unknown> {
    const { database, clock } = this.#parts;
    const now = clock.now();
    return attemptNoLater.run(database, { kinds: this.#kinds, now, latest: now + waitMs });
  }

  /** If a wrong clock has set the time of a message too late, makes the message due now. The next query finds it. */
  async #correctTimes(): Promise<void> {
    await this.#attemptNoLater(MAX_DELAY_MS + CLOCK_TOLERANCE_MS).catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { atOnce = MAX_AT_ONCE, maySend = async () => true } = this.#parts;
    this.#isLooking = true;
    try {
      do {
        this.#looksAgain = false;
        let hasMore = true;
        while (hasMore && this.#atWork.size < atOnce && !this.#stop.signal.aborted && (await maySend()))
          hasMore = await this.#beginSome(Math.min(MAX_CLAIMED, atOnce - this.#atWork.size));
      } while (this.#looksAgain);
      this.#isBlind = false;
    } catch (error) {
      if (!this.#isBlind) this.#parts.onTrouble(error, {});
      this.#isBlind = true;
    } finally {
      this.#isLooking = false;
    }
  }

  /** Starts attempts for due messages. Returns whether there may be more. */
  async #beginSome(limit: number): Promise<boolean> {
    const { database, clock } = this.#parts;
    const now = clock.now();
    const until = now + CLAIM_MS;
    const latest = until + CLOCK_TOLERANCE_MS;
    const look = { database, kinds: this.#kinds, busy: this.#busy, now, latest, limit };
    const { ids, hasMore } = await this.#finder.find(look);
    if (ids.length === 0) return hasMore;
    const claim = newUuid();
    // If a power failure loses a claim, the message is sent again.
    const rows = await claimMessages.all(database.unsynced, { ids, claim, now, until, latest });
    if (rows.length < ids.length) this.#looksAgain = true;
    const messages = rows.map((row) => ({ ...row, target: row.application_id ?? row.webhook_id, claim }));
    const prepared = this.#prepare(messages);
    for (const message of messages) this.#begin(message, prepared);
    return hasMore;
  }

  /** Lets senders read in one go what they need for several messages without a payload. */
  async #prepare(messages: readonly Claimed[]): Promise<Prepared> {
    const prepared = new Map<string, (signal: AbortSignal) => Promise<Attempt<unknown> | undefined>>();
    for (const sender of this.#parts.senders) {
      const ids = messages.filter(({ kind, payload }) => kind === sender.kind && payload === '').map(({ id }) => id);
      if (ids.length === 0) continue;
      for (const [id, send] of (await sender.prepare?.(ids)) ?? []) prepared.set(id, send);
    }
    return prepared;
  }

  #begin(message: Claimed, prepared: Promise<Prepared>): void {
    const { atOnce = MAX_AT_ONCE, perTarget = Number.POSITIVE_INFINITY } = this.#parts;
    const { target } = message;
    this.#claimed.add(message);
    count(this.#busy, target, 1);
    const work: Promise<void> = this.#attempt(message, prepared).finally(() => {
      const wasFull = this.#atWork.size >= atOnce || (target !== null && (this.#busy.get(target) ?? 0) >= perTarget);
      count(this.#busy, target, -1);
      this.#claimed.delete(message);
      this.#atWork.delete(work);
      if (wasFull) this.#lookNow();
    });
    this.#atWork.add(work);
  }

  async #renew(): Promise<void> {
    const { database, clock } = this.#parts;
    const claims = [...this.#claimed];
    if (claims.length === 0) return;
    await renewClaims.run(database, { claims, until: clock.now() + CLAIM_MS }).catch(() => undefined);
  }

  async #attempt(message: Claimed, prepared: Promise<Prepared>): Promise<void> {
    try {
      await this.#sendAndEnd(message, await prepared);
    } catch (error) {
      // The outcome is not recorded, so the message is sent again after its claim ends.
      this.#parts.onTrouble(error, { kind: message.kind });
    }
  }

  async #sendAndEnd(message: Claimed, prepared: Prepared): Promise<void> {
    let attempt: Attempt<unknown> | undefined;
    let failure: unknown;
    try {
      attempt = await this.#send(message, prepared);
      failure = attempt?.failure;
    } catch (error) {
      failure = error;
    }
    if (failure !== undefined && this.#stop.signal.aborted) await releaseMessage.run(this.#parts.database, message);
    else await this.#end(message, attempt, failure);
  }

  async #send({ id, kind, payload: sealed }: Claimed, prepared: Prepared): Promise<Attempt<unknown> | undefined> {
    const { signal } = this.#stop;
    if (sealed === '') return prepared.get(id)?.(signal);
    const payload = openPayload(this.#parts.dataSealer, sealed);
    return this.#senderOf(kind)?.send?.({ id, payload }, signal);
  }

  #senderOf(kind: string): Sender | undefined {
    return this.#parts.senders.find((one) => one.kind === kind);
  }

  /** Ends an attempt: the message is deleted, or waits for the next attempt. */
  async #end(message: Claimed, attempt: Attempt<unknown> | undefined, failure: unknown): Promise<void> {
    const { database, clock, onTrouble, onAttempt } = this.#parts;
    const { kind, created_at: createdAt, expires_at: expiresAt } = message;
    const attempts = message.attempts + 1;
    const now = clock.now();
    const delayOf = this.#senderOf(kind)?.delayAfter ?? delayAfter;
    const delay = failure === undefined ? undefined : delayOf(attempts, { createdAt, now, failure });
    const at = delay === undefined ? undefined : now + delay;
    const failed = at !== undefined && at < expiresAt ? 'retried' : 'failed';
    const outcome: Outcome = failure === undefined ? 'delivered' : failed;
    if (failure !== undefined) onTrouble(failure, { kind, attempts });
    const ended = { message, attempt, outcome, at };
    if (attempt || message.lane !== null) await this.#recordWithOthers(ended);
    else await endMessages(database, [ended]);
    onAttempt?.(kind, outcome);
  }

  async #recordWithOthers(ended: EndedAttempt): Promise<void> {
    this.#ended.push(ended);
    this.#recording ??= this.#recordSoon();
    await this.#recording;
  }

  /** Records, in one transaction, all attempts that end within a short time. */
  async #recordSoon(): Promise<void> {
    await rest(GATHER_MS);
    this.#recording = undefined;
    const ended = this.#ended.splice(0);
    const record = async () => {
      const mayBeDue = await this.#parts.database.transaction((tx) => this.#record(tx, ended));
      if (mayBeDue) this.#lookNow();
    };
    await (this.#finder.run?.(record) ?? record());
  }

  async #record(tx: Transaction, ended: readonly EndedAttempt[]): Promise<boolean> {
    const keepers = this.#parts.senders.map(({ kind, recordReceivers, recordMessages }) => ({
      recordReceivers,
      recordMessages,
      ended: ended.flatMap(({ message, attempt, outcome }) =>
        attempt && message.kind === kind ? [{ id: message.id, outcome, sent: attempt.sent }] : [],
      ),
    }));
    const kept = keepers.filter((keeper) => keeper.ended.length > 0);
    for (const { recordReceivers, ended: own } of kept) await recordReceivers?.(tx, own);
    const ids = await endMessages(tx, ended);
    for (const { recordMessages, ended: own } of kept) {
      const current = own.filter(({ id }) => ids.has(id));
      if (current.length > 0) await recordMessages?.(tx, current);
    }
    const lanes = ended.flatMap(({ message: { lane }, at }) => (lane !== null && at === undefined ? [lane] : []));
    return (await this.#finder.onEnded?.(tx, lanes)) ?? false;
  }
}

/** Deletes messages or postpones them. Returns the ids of messages whose claim this process still had. */
async function endMessages(handle: Handle, ended: readonly EndedAttempt[]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { message, at } of ended)
    if (at !== undefined && (await postponeMessage.run(handle, { ...message, at })) > 0) ids.add(message.id);
  const claims = ended.flatMap(({ message: { id, claim }, at }) => (at === undefined ? [{ id, claim }] : []));
  if (claims.length > 0) for (const { id } of await deleteMessages.all(handle, { claims })) ids.add(id);
  return ids;
}

function count(counts: Map<number, number>, key: number | null, by: 1 | -1): void {
  if (key === null) return;
  const sum = (counts.get(key) ?? 0) + by;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}
