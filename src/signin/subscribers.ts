import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { deleteAllSecondSteps, deleteSecondStepsOfUser } from './queries.ts';

/** Deletes all unfinished sign-ins when all sessions end. */
const withAllSessions: Subscriber = {
  onEvent: async (tx, { type }) => {
    if (type === 'sessions.ended_all') await deleteAllSecondSteps.run(tx, {});
    return undefined;
  },
};

/** Deletes unfinished sign-ins when their password or second factor is no longer valid, and when all sessions end. */
export const signinSubscribers: readonly Subscriber[] = [
  withAllSessions,
  onAccessLoss(['all', 'second-factor'], async (tx, userId) => {
    await deleteSecondStepsOfUser.run(tx, { userId });
    return undefined;
  }),
];
