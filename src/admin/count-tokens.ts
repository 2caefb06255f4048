import { tokenNumbers, tokensByScope } from '../api-tokens/queries.ts';
import { tokenScopes } from '../api-tokens/token.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS } from '../lib/clock.ts';

export interface TokenStats {
  total: number;
  expired: number;
  neverExpiring: number;
  usedLast30Days: number;
  usersWithTokens: number;
  byScope: Record<string, number>;
}

/** Counts all API tokens that are not revoked. An expired token still counts for 90 days. */
export async function countTokens({ database, clock }: Pick<Services, 'database' | 'clock'>): Promise<TokenStats> {
  const now = clock.now();
  const numbers = await tokenNumbers.first(database, { now, recent: now - 30 * DAY_MS });
  const scopes = await tokensByScope.all(database, {});
  const none = tokenScopes.map((scope) => [scope, 0] as const);
  return {
    total: Number(numbers?.total),
    expired: Number(numbers?.expired),
    neverExpiring: Number(numbers?.never_expiring),
    usedLast30Days: Number(numbers?.used_recently),
    usersWithTokens: Number(numbers?.users),
    byScope: Object.fromEntries([...none, ...scopes.map(({ scope, number }) => [scope, Number(number)] as const)]),
  };
}
