import type { Services } from '../http/route.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { markSessionsSeen } from './own-session-queries.ts';
import type { Session } from './session.ts';

/** How exact the last use of a session is. */
const EXACT_TO_MS = 5 * MINUTE_MS;
const WRITE_EVERY_MS = 5 * SECOND_MS;
const MAX_AT_ONCE = 200;

/**
 * Remembers which sessions were used, until that is written: a check of a session never waits for a write.
 *
 * A process that is killed loses the uses of a few seconds. Only the list of a user's sessions shows them, to five minutes,
 * and nothing is decided by them.
 */
export class LastSeen {
  /** By session id, the moment at which its use was noted. */
  readonly #noted = new Map<string, number>();
  readonly #waiting = new Set<string>();

  note({ id, createdAt }: Pick<Session, 'id' | 'createdAt'>, now: number): void {
    const before = this.#noted.get(id) ?? createdAt;
    if (Math.abs(now - before) < EXACT_TO_MS) return;
    this.#noted.set(id, now);
    this.#waiting.add(id);
  }

  /** Takes some of the sessions whose use is still to be written. */
  take(): string[] {
    const ids = [...this.#waiting].slice(0, MAX_AT_ONCE);
    for (const id of ids) this.#waiting.delete(id);
    return ids;
  }

  /** Notes the next use of these sessions again: this one was not written. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#noted.delete(id);
  }

  /** Forgets what was noted so long ago that the next use is noted anyway. */
  tidy(now: number): void {
    for (const [id, at] of this.#noted) {
      if (Math.abs(now - at) >= EXACT_TO_MS) this.#noted.delete(id);
    }
  }
}

type Needs = Pick<Services, 'database' | 'clock' | 'lastSeen' | 'log'>;

/** Writes what was noted. A session whose row is locked just then is left for its next use. */
async function write({ database, clock, lastSeen, log }: Needs): Promise<void> {
  const now = clock.now();
  for (let ids = lastSeen.take(); ids.length > 0; ids = lastSeen.take()) {
    try {
      const written = new Set((await markSessionsSeen.all(database, { ids, now })).map(({ id }) => id));
      lastSeen.forget(ids.filter((id) => !written.has(id)));
    } catch (error) {
      lastSeen.forget(ids);
      log.warn({ err: error }, 'failed to write when sessions were used');
      return;
    }
  }
  lastSeen.tidy(now);
}

/** Writes again and again when sessions were used; the answered function does so once more and ends it. */
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
