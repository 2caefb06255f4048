import type { Database } from '../db/handle.ts';
import { toAuditRow } from './audit-log.ts';
import type { EventRecord } from './event-record.ts';
import { insertAuditEvents, usernamesByIds } from './queries.ts';

/** With this delay, a refusal is in the table at most one second after it happened. */
const WRITE_AFTER_MS = 800;
const MAX_WAITING = 10_000;
/** Rows per statement. Other queries can run between two statements. */
const MAX_ROWS = 500;

interface Waiting {
  record: EventRecord;
  count: number;
}

interface QueueParts {
  database: Database;
  /** Called when refusals could not be written and stay in the queue, and when refusals were dropped. */
  onTrouble(trouble: { error: unknown } | { dropped: number }): void;
  /** Called once for each row that was written, with the name of its event. */
  onWritten?: ((event: string) => void) | undefined;
}

/**
 * Returns a key that is the same for equal refusals. Refusals with the same key become one row with a count.
 * Refusals of different users have different keys.
 */
function keyOf({ event, subject_id, address, actor_type, actor_id, details }: EventRecord): string {
  return JSON.stringify([event, details, subject_id, address, actor_type, actor_id]);
}

/**
 * A queue of refusals for the audit log. They are written in the background, so that requests need not wait for it.
 */
export class RefusalQueue {
  readonly #parts: QueueParts;
  #waiting = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #dropped = 0;
  #toldDropped = 0;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** The number of refusals that were dropped because too many were waiting. */
  get dropped(): number {
    return this.#dropped;
  }

  add(record: EventRecord): void {
    this.#keep({ record, count: 1 });
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref();
  }

  /** Writes the waiting refusals. */
  async finish(): Promise<void> {
    await this.#write();
  }

  #keep({ record, count }: Waiting): void {
    const key = keyOf(record);
    const equal = this.#waiting.get(key);
    if (equal) equal.count += count;
    else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(key, { record, count });
    else this.#dropped += count;
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeBatch());
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    const batch = [...this.#waiting.values()];
    this.#waiting = new Map();
    let written = 0;
    try {
      for (; written < batch.length; written += MAX_ROWS) await this.#insert(batch.slice(written, written + MAX_ROWS));
    } catch (error) {
      for (const refusal of batch.slice(written)) this.#keep(refusal);
      this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref();
      this.#parts.onTrouble({ error });
    }
    if (this.#dropped > this.#toldDropped) this.#parts.onTrouble({ dropped: this.#dropped - this.#toldDropped });
    this.#toldDropped = this.#dropped;
  }

  async #insert(refusals: readonly Waiting[]): Promise<void> {
    const { database, onWritten } = this.#parts;
    const ids = [...new Set(refusals.flatMap(({ record }) => record.subject_id ?? []))];
    const users = ids.length > 0 ? await usernamesByIds.all(database, { ids }) : [];
    const names = new Map(users.map(({ id, username }) => [id, username]));
    const events = refusals.map(({ record, count }) =>
      toAuditRow({
        ...record,
        subject_name: record.subject_id === null ? null : (names.get(record.subject_id) ?? null),
        details: { ...record.details, count },
      }),
    );
    await insertAuditEvents.run(database, { events });
    for (const { event } of events) onWritten?.(event);
  }
}
