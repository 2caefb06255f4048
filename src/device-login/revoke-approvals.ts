import { deleteReservation } from '../api-tokens/queries.ts';
import type { Handle } from '../db/handle.ts';
import { referenceOf } from './decide-request.ts';
import { denyApprovedOfUser } from './queries.ts';

/** Denies what a user has approved and no program has fetched yet, and gives up the room for those tokens. */
export async function revokeApprovals(tx: Handle, userId: number): Promise<void> {
  for (const { id } of await denyApprovedOfUser.all(tx, { userId })) {
    await deleteReservation.run(tx, { reference: referenceOf(id) });
  }
}
