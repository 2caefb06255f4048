import type { Transaction } from '../db/handle.ts';
import type { AppEvent, EventDetails } from './event-types.ts';

/** How many records a subscriber ended, by the name that the count has in the details of the event. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Handles the consequences of an event in the transaction of the change. If the subscriber throws, the change is
 * rolled back.
 */
export interface Subscriber {
  onEvent(tx: Transaction, event: AppEvent): Promise<Counts | undefined>;
}

/**
 * How much of a user's access an event ends.
 *
 * - `all`: everything. The user gets a new password or a passkey instead of one, is deactivated, or is removed.
 * - `second-factor`: everything that skips or awaits the old second factor, such as trusted browsers and unfinished
 *   sign-ins. Sessions stay.
 * - `rights`: the user keeps access, but has a lower role or fewer applications.
 */
export type AccessLoss = 'all' | 'second-factor' | 'rights';

function losesRights({ from, to }: EventDetails['user.updated']): boolean {
  const isDemoted = from.role !== to.role && to.role !== 'superadmin';
  const before = from.allowed_apps ?? [];
  const after = (to.allowed_apps ?? []).map((app) => app.toLowerCase());
  return isDemoted || before.some((app) => !after.includes(app.toLowerCase()));
}

function accessLoss(event: AppEvent): AccessLoss | undefined {
  switch (event.type) {
    case 'password.changed':
    case 'user.deactivated':
    case 'user.removed':
      return 'all';
    case 'factor.changed':
      if (event.details.way !== undefined) return 'all';
      return event.details.kind === 'totp' ? 'second-factor' : undefined;
    case 'user.updated':
    case 'user.reactivated':
      return losesRights(event.details) ? 'rights' : undefined;
    default:
      return undefined;
  }
}

/** Creates a subscriber that runs for a user whenever an event ends one of these kinds of access. */
export const onAccessLoss = (
  losses: readonly AccessLoss[],
  end: (tx: Transaction, userId: number, event: AppEvent) => Promise<Counts | undefined>,
): Subscriber => ({
  onEvent: async (tx, event) => {
    const loss = accessLoss(event);
    return event.subject && loss && losses.includes(loss) ? end(tx, event.subject.id, event) : undefined;
  },
});
