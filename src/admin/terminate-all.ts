import type { Change } from '../events/change.ts';
import { endAllSessions } from '../sessions/end-sessions.ts';
import { deleteAllSecondSteps } from '../signin/queries.ts';
import { lockAllUsers } from '../users/lock-users.ts';

/**
 * Ends the sessions of all users, and the sign-ins that wait for their second step.
 *
 * @returns the number of sessions
 */
export function terminateAll({ database, actor }: Omit<Change, 'now'>): Promise<number> {
  return database.transaction(async (tx) => {
    await lockAllUsers(tx);
    await deleteAllSecondSteps.run(tx, {});
    return endAllSessions(tx, actor);
  });
}
