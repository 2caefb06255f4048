import type { Database } from '../db/handle.ts';
import type { Clock } from '../lib/clock.ts';
import type { Actor } from './actor.ts';

/** The context of a rule that changes something: database, time and actor. */
export interface Change {
  database: Database;
  /** Milliseconds since the epoch, UTC. */
  now: number;
  actor: Actor;
}

/** The context of a change by `actor` now. */
export const changeBy = ({ database, clock }: { database: Database; clock: Clock }, actor: Actor): Change => ({
  database,
  now: clock.now(),
  actor,
});
