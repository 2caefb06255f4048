import type { AppEvent } from '../events/event-types.ts';
import type { Subscriber } from '../events/subscriber.ts';
import { roleOfUser } from './list-queries.ts';
import { requireTouchable } from './protect-superadmins.ts';

/** Returns the role that a user had before the event, or undefined if the event does not change the role. */
function formerRole(event: AppEvent): string | undefined {
  switch (event.type) {
    case 'user.updated':
    case 'user.deactivated':
    case 'user.reactivated':
      return event.details.from.role;
    default:
      return undefined;
  }
}

/** Refuses changes to superadmins by a token of scope admin. Runs in the transaction of each change. */
export const adminSubscribers: readonly Subscriber[] = [
  {
    onEvent: async (tx, event) => {
      const { actor, subject } = event;
      if (actor.tokenScope !== 'admin' || !subject) return undefined;
      const row = await roleOfUser.first(tx, { id: subject.id });
      requireTouchable(actor, [row?.role, formerRole(event)]);
      return undefined;
    },
  },
];
