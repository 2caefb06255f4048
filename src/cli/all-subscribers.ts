import { adminSubscribers } from '../admin/subscribers.ts';
import { noticeSubscribers } from '../delivery/notices.ts';
import { deviceLoginSubscribers } from '../device-login/subscribers.ts';
import type { Subscriber } from '../events/subscriber.ts';
import { factorSubscribers } from '../factors/subscribers.ts';
import { oidcSubscribers } from '../oidc/subscribers.ts';
import { sessionSubscribers } from '../sessions/subscribers.ts';
import { signinSubscribers } from '../signin/subscribers.ts';
import { userSubscribers } from '../users/subscribers.ts';
import { welcomeSubscribers } from '../welcome/subscribers.ts';

/** The subscribers for every database that the service or a command opens, in the order of the layers. */
export const allSubscribers: readonly Subscriber[] = [
  ...userSubscribers,
  ...sessionSubscribers,
  ...factorSubscribers,
  ...signinSubscribers,
  ...deviceLoginSubscribers,
  ...welcomeSubscribers,
  ...adminSubscribers,
];

/** Returns all subscribers, including those that put messages into the outbox. */
export const subscribersOf = (parts: Parameters<typeof noticeSubscribers>[0]): readonly Subscriber[] => [
  ...allSubscribers,
  ...oidcSubscribers(parts),
  ...noticeSubscribers(parts),
];
