import type { Subscriber } from '../events/subscriber.ts';
import { deleteEmailLink } from '../users/pending-email-queries.ts';
import { deleteSentResets, deleteWelcomeLinksOfUser } from './queries.ts';

/**
 * Deletes links of a user whose credentials, role or address change.
 *
 * A new password, or a passkey that replaces it, ends all links of the user, including a link that confirms an address,
 * because a person who knew the old password may have requested them. A promotion to superadmin also ends them: an API
 * token with the scope `admin` can create links for ordinary users, and such a link must not open a superadmin's account.
 * A new address ends the reset links that were mailed to the old one.
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
