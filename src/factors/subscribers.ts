import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { deleteDraftsOfUser, deleteTrustsOfUser } from './queries.ts';

/** Ends trusted browsers when the password or the second factor changes, and drafts when the second factor changes. */
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
