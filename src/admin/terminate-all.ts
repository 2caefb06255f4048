import type { Database } from '../db/handle.ts';
import { endAllSessions } from '../sessions/end-sessions.ts';
import { deleteAllSecondSteps } from '../signin/queries.ts';

/** Ends the sessions of everybody, and the sign-ins that wait for their second step. Gives the number of sessions. */
export function terminateAll(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    await deleteAllSecondSteps.run(tx, {});
    return endAllSessions(tx);
  });
}
