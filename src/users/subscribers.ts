import type { Subscriber } from '../events/subscriber.ts';
import { incrementVersion } from './queries.ts';

/** Raises a user's version when another folder changes the user's credentials. */
export const userSubscribers: readonly Subscriber[] = [
  {
    onEvent: async (tx, { type, subject }) => {
      const isCredential = type === 'factor.changed' || type === 'connection.changed';
      if (isCredential && subject) await incrementVersion.run(tx, { id: subject.id });
      return undefined;
    },
  },
];
