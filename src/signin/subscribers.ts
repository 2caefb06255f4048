import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { deleteAllSecondSteps, deleteSecondStepsOfUser } from './queries.ts';

/** Deletes all unfinished sign-ins when the sessions of all users end. */
const withAllSessions: Subscriber = {
  onEvent: async (tx, { type }) => {
    if (type === 'sessions.ended_all') await deleteAllSecondSteps.run(tx, {});
    return undefined;
  },
};

/**
 * Deletes unfinished sign-ins when their password or second factor is no longer valid, and when the sessions of all users
 * end. If only the sessions of one user end, the unfinished sign-ins of this user stay.
 */
export const signinSubscribers: readonly Subscriber[] = [
  withAllSessions,
  onAccessLoss(['all', 'second-factor'], async (tx, userId) => {
    await deleteSecondStepsOfUser.run(tx, { userId });
    return undefined;
  }),
];
