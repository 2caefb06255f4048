import type { Database } from '../db/handle.ts';
import type { Clock } from '../lib/clock.ts';
import type { Actor } from './actor.ts';

/** What a rule needs to change something: the database, the current time and the actor. */
export interface Change {
  database: Database;
  /** Milliseconds since the epoch, UTC. */
  now: number;
  actor: Actor;
}

/** Returns the context for a change that `actor` makes now. */
export const changeBy = ({ database, clock }: { database: Database; clock: Clock }, actor: Actor): Change => ({
  database,
  now: clock.now(),
  actor,
});
