import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { endSessionsOfUser } from './end-sessions.ts';

/** A user who loses all access loses all sessions. */
export const sessionSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all'], async (tx, userId) => ({ sessions_ended: await endSessionsOfUser(tx, userId) })),
];
