import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { deleteDraftsOfUser, deleteTrustsOfUser } from './queries.ts';

/** Ends the trusted browsers of a user whose password or second factor has changed. */
export const factorSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all', 'second-factor'], async (tx, userId) => {
    await deleteTrustsOfUser.run(tx, { userId });
    return undefined;
  }),
  onAccessLoss(['second-factor'], async (tx, userId) => {
    await deleteDraftsOfUser.run(tx, { userId });
    return undefined;
  }),
];
