import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { deleteSecondStepsOfUser } from './queries.ts';

/** Ends sign-ins that wait for their second step if their password or factor is no longer valid. */
export const signinSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all', 'second-factor'], async (tx, userId) => {
    await deleteSecondStepsOfUser.run(tx, { userId });
    return undefined;
  }),
];
