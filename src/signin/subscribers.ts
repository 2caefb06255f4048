import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { deleteSecondStepsOfUser } from './queries.ts';

/** A sign-in that waits for its second step began with a password or factor that counts no more. */
export const signinSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all', 'second-factor'], async (tx, userId) => {
    await deleteSecondStepsOfUser.run(tx, { userId });
    return undefined;
  }),
];
