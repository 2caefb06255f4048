import { deleteReservation } from '../api-tokens/queries.ts';
import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { referenceOf } from './decide-request.ts';
import { denyApprovedOfUser } from './queries.ts';

/** A user who loses access or rights loses the approvals of which no program has fetched the token yet. */
export const deviceLoginSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all', 'rights'], async (tx, userId) => {
    for (const { id } of await denyApprovedOfUser.all(tx, { userId })) {
      await deleteReservation.run(tx, { reference: referenceOf(id) });
    }
    return undefined;
  }),
];
