import { type ListedToken, toListed } from '../api-tokens/listed-token.ts';
import { listTokens } from '../api-tokens/queries.ts';
import type { Services } from '../http/route.ts';

/** Lists the API tokens of a user that have not expired, newest first. */
export async function listOwnTokens(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  userId: number,
): Promise<Omit<ListedToken, 'parent_id'>[]> {
  const now = clock.now();
  const rows = (await listTokens.all(database, { userId })).filter(({ expires_at: at }) => at === null || at > now);
  return rows.reverse().map((row) => {
    const { parent_id: _parent, ...token } = toListed(row);
    return token;
  });
}
