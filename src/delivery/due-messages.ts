import type { Database, Transaction } from '../db/handle.ts';
import { dueMessages } from './queries.ts';

/** What is asked of a finder. */
export interface Look {
  database: Database;
  kinds: readonly string[];
  /** How many messages are being sent to each application or webhook. */
  busy: ReadonlyMap<number, number>;
  now: number;
  /** A claim beyond this time comes from a wrong clock, and counts for nothing. */
  latest: number;
  limit: number;
}

/** Messages that can be sent now. */
export interface Found {
  ids: string[];
  /** Whether another look can find more. */
  hasMore: boolean;
}

/** Finds what a worker sends next. */
export interface Finder {
  find(look: Look): Promise<Found>;
  /** Runs work that ends messages. */
  run?(work: () => Promise<void>): Promise<void>;
  /**
   * Called in that transaction, with the lanes of messages that were deleted.
   *
   * @returns whether other messages may have become due
   */
  onEnded?(tx: Transaction, lanes: readonly string[]): Promise<boolean>;
}

/** Those to which as many messages are being sent as one may take. */
export const fullTargets = (busy: ReadonlyMap<number, number>, perTarget: number): number[] =>
  [...busy].flatMap(([id, count]) => (count >= perTarget ? [id] : []));

/** Finds messages that wait for no other one. An application gets `perTarget` of them at once. */
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
