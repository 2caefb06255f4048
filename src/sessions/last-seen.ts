import type { Services } from '../http/route.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { markSessionsSeen } from './own-session-queries.ts';
import type { Session } from './session.ts';

/** How far the stored time of a session's last use may be behind the actual time. */
const EXACT_TO_MS = 5 * MINUTE_MS;
const WRITE_EVERY_MS = 5 * SECOND_MS;
const MAX_AT_ONCE = 200;

/**
 * Remembers when sessions were used, until a timer writes those times to the database. So a session check never waits
 * for a write.
 *
 * A process that is killed loses the uses of the last few seconds. That does no harm: only the list of a user's
 * sessions shows these times, exact to five minutes, and no decision depends on them.
 */
export class LastSeen {
  /** When the last use of each session was noted, by session id. */
  readonly #noted = new Map<string, number>();
  readonly #waiting = new Set<string>();

  note({ id, createdAt }: Pick<Session, 'id' | 'createdAt'>, now: number): void {
    const before = this.#noted.get(id) ?? createdAt;
    if (Math.abs(now - before) < EXACT_TO_MS) return;
    this.#noted.set(id, now);
    this.#waiting.add(id);
  }

  /** Returns up to 200 sessions whose use must be written, and removes them from the queue. */
  take(): string[] {
    const ids = [...this.#waiting].slice(0, MAX_AT_ONCE);
    for (const id of ids) this.#waiting.delete(id);
    return ids;
  }

  /** Forgets the noted use of these sessions, because it was not written. Their next use is noted at once. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#noted.delete(id);
  }

  /**
   * Removes notes that are at least five minutes old. They have no effect, because the next use is noted with or
   * without them.
   */
  tidy(now: number): void {
    for (const [id, at] of this.#noted) {
      if (Math.abs(now - at) >= EXACT_TO_MS) this.#noted.delete(id);
    }
  }
}

type Needs = Pick<Services, 'database' | 'clock' | 'lastSeen' | 'log'>;

/**
 * Writes the noted uses. If another transaction has locked a session's row, its use is skipped, and the next use of
 * that session is noted again.
 */
async function write({ database, clock, lastSeen, log }: Needs): Promise<void> {
  const now = clock.now();
  for (let ids = lastSeen.take(); ids.length > 0; ids = lastSeen.take()) {
    try {
      const written = new Set((await markSessionsSeen.all(database, { ids, now })).map(({ id }) => id));
      lastSeen.forget(ids.filter((id) => !written.has(id)));
    } catch (error) {
      lastSeen.forget(ids);
      log.warn({ err: error }, 'failed to store when sessions were last used');
      return;
    }
  }
  lastSeen.tidy(now);
}

/** Starts to write the noted uses every five seconds. The returned function writes once more and stops the timer. */
export function startWritingLastSeen(services: Needs): () => Promise<void> {
  let writing: Promise<void> | undefined;
  const writeNow = () => {
    writing ??= write(services).finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const timer = setInterval(() => void writeNow(), WRITE_EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await writing;
    await writeNow();
  };
}
