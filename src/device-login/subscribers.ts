import { deleteReservation } from '../api-tokens/queries.ts';
import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { referenceOf } from './decide-request.ts';
import { denyApprovedOfUser } from './queries.ts';

/** When a user loses access or rights, revokes the user's approvals whose tokens were not fetched yet. */
export const deviceLoginSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all', 'rights'], async (tx, userId) => {
    for (const { id } of await denyApprovedOfUser.all(tx, { userId })) {
      await deleteReservation.run(tx, { reference: referenceOf(id) });
    }
    return undefined;
  }),
];
