import type { Subscriber } from '../events/subscriber.ts';
import { deleteEmailLink } from '../users/pending-email-queries.ts';
import { deleteSentResets, deleteWelcomeLinksOfUser } from './queries.ts';

/**
 * A new password, or a passkey in its place, ends every link of the user, also one that would confirm an address: who
 * knew the former password may have asked for it. So does a promotion to superadmin: a token of scope admin may make links
 * for ordinary users, and none of them may open a superadmin's account. A new address ends links that went to the former
 * one.
 */
export const welcomeSubscribers: readonly Subscriber[] = [
  {
    onEvent: async (tx, { type, subject, details }) => {
      if (!subject) return undefined;
      const userId = subject.id;
      const isByLink = type === 'factor.changed' && details.way !== undefined;
      const isPromotion = 'to' in details && details.to.role === 'superadmin';
      if (isByLink || isPromotion || type === 'password.changed') {
        await deleteWelcomeLinksOfUser.run(tx, { userId });
        await deleteEmailLink.run(tx, { userId });
      } else if ('fields' in details && details.fields.includes('email')) await deleteSentResets.run(tx, { userId });
      return undefined;
    },
  },
];
