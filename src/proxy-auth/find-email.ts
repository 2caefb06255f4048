import type { LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { emailById } from '../users/queries.ts';

declare module '../http/route.ts' {
  interface Services {
    /** Cached e-mail addresses of users, by user id. */
    emailCache: LookupCache<string>;
  }
}

/**
 * Finds the confirmed e-mail address of a user. Returns an empty string if there is none. The result is cached
 * until the user changes.
 */
export async function findEmail(
  { database, emailCache }: Pick<Services, 'database' | 'emailCache'>,
  userId: number,
): Promise<string> {
  const email = await emailCache.find(String(userId), async () => {
    const row = await emailById.first(database, { id: userId });
    return row && { value: row.email ?? '', rows: [`users ${userId}`] };
  });
  return email ?? '';
}
