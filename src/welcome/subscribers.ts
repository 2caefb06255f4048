import type { Subscriber } from '../events/subscriber.ts';
import { deleteSentResets, deleteWelcomeLinksOfUser } from './queries.ts';

/** A new password, or a passkey in its place, ends every link of the user; a new address ends links that went to the former one. */
export const welcomeSubscribers: readonly Subscriber[] = [
  {
    onEvent: async (tx, { type, subject, details }) => {
      if (!subject) return undefined;
      const userId = subject.id;
      const isByLink = type === 'factor.changed' && details.way !== undefined;
      if (isByLink || type === 'password.changed') await deleteWelcomeLinksOfUser.run(tx, { userId });
      else if ('fields' in details && details.fields.includes('email')) await deleteSentResets.run(tx, { userId });
      return undefined;
    },
  },
];
