import type { Database, Transaction } from '../db/handle.ts';
import { dueMessages } from './queries.ts';

/** The parameters of a search for due messages. */
export interface Look {
  database: Database;
  kinds: readonly string[];
  /** Number of messages that are being sent to each application or webhook. */
  busy: ReadonlyMap<number, number>;
  now: number;
  /** A claim that ends after this time was made by a wrong clock, and is ignored. */
  latest: number;
  limit: number;
}

/** Messages that can be sent now. */
export interface Found {
  ids: string[];
  /** Whether another call may find more messages. */
  hasMore: boolean;
}

/** Finds the messages that a worker sends next. */
export interface Finder {
  find(look: Look): Promise<Found>;
  /**
   * Runs `work`, which records the ends of attempts. A finder can delay `work` until the finder's own queries are done.
   */
  run?(work: () => Promise<void>): Promise<void>;
  /**
   * Called in the transaction that records ended attempts, with the lanes of the messages that it deletes.
   *
   * @returns whether other messages may have become due
   */
  onEnded?(tx: Transaction, lanes: readonly string[]): Promise<boolean>;
}

/** Returns the applications or webhooks to which the maximum number of messages is being sent already. */
export const fullTargets = (busy: ReadonlyMap<number, number>, perTarget: number): number[] =>
  [...busy].flatMap(([id, count]) => (count >= perTarget ? [id] : []));

/**
 * Finds due messages of kinds without lanes, whose messages need not wait for each other. At most `perTarget` messages
 * go to one application at a time.
 */
export const dueFinder = (perTarget: number): Finder => ({
  find: async ({ database, busy, ...look }) => {
    const full = fullTargets(busy, perTarget);
    const due = await dueMessages.all(database, { ...look, full });
    const counts = new Map(busy);
    const fitting = due.filter(({ application_id: target }) => {
      if (target === null) return true;
      const count = (counts.get(target) ?? 0) + 1;
      counts.set(target, count);
      return count <= perTarget;
    });
    return { ids: fitting.map(({ id }) => id), hasMore: fitting.length < due.length || due.length === look.limit };
  },
});
