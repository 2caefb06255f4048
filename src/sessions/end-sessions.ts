import type { Handle } from '../db/handle.ts';
import { deleteAllSessions, deleteSession, deleteSessionsOfUser } from './queries.ts';

/** Ends one session. Gives false when there was none of that id. */
export const endSession = async (handle: Handle, id: string): Promise<boolean> =>
  (await deleteSession.run(handle, { id: id.toLowerCase() })) > 0;

/** Ends all sessions of a user, on every device. Gives their number. */
export const endSessionsOfUser = (handle: Handle, userId: number): Promise<number> =>
  deleteSessionsOfUser.run(handle, { userId });

/** Ends the sessions of everybody. Gives their number. */
export const endAllSessions = (handle: Handle): Promise<number> => deleteAllSessions.run(handle, {});
