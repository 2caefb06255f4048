import type { Subscriber } from '../events/subscriber.ts';
import { incrementVersion } from './queries.ts';

/** A change of a user's credentials in another folder also counts as a change of the user. */
export const userSubscribers: readonly Subscriber[] = [
  {
    onEvent: async (tx, { type, subject }) => {
      const isCredential = type === 'factor.changed' || type === 'connection.changed';
      if (isCredential && subject) await incrementVersion.run(tx, { id: subject.id });
      return undefined;
    },
  },
];
