import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { deleteAllSecondSteps, deleteSecondStepsOfUser } from './queries.ts';

/** Sign-ins that wait for their second step end with all sessions. */
const withAllSessions: Subscriber = {
  onEvent: async (tx, { type }) => {
    if (type === 'sessions.ended_all') await deleteAllSecondSteps.run(tx, {});
    return undefined;
  },
};

/** Ends sign-ins that wait for their second step if their password or factor is no longer valid. */
export const signinSubscribers: readonly Subscriber[] = [
  withAllSessions,
  onAccessLoss(['all', 'second-factor'], async (tx, userId) => {
    await deleteSecondStepsOfUser.run(tx, { userId });
    return undefined;
  }),
];
