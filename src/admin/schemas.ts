import { type Static, Type } from 'typebox';
import { listedToken } from '../api-tokens/schemas.ts';
import type { TokenStats } from './count-tokens.ts';

export const doneReply = Type.Object({ success: Type.Literal(true), message: Type.String() });
export type DoneReply = Static<typeof doneReply>;

export const superadminSummary = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  user: Type.Object({ user_id: Type.Integer(), username: Type.String(), role: Type.String() }),
});
export type SuperadminSummary = Static<typeof superadminSummary>;

export const usernameParams = Type.Object({ username: Type.String({ minLength: 1 }) });

export const tokenListReply = Type.Object({
  success: Type.Literal(true),
  username: Type.String(),
  tokens: Type.Array(listedToken),
});
export type TokenListReply = Static<typeof tokenListReply>;

export const tokenStatsReply = Type.Object({
  success: Type.Literal(true),
  stats: Type.Object({
    total: Type.Integer(),
    active: Type.Integer(),
    expired: Type.Integer(),
    never_expiring: Type.Integer(),
    used_last_30_days: Type.Integer(),
    users_with_tokens: Type.Integer(),
    by_scope: Type.Record(Type.String(), Type.Integer()),
  }),
});

export const toStats = (stats: TokenStats): Static<typeof tokenStatsReply> => ({
  success: true,
  stats: {
    total: stats.total,
    active: stats.total - stats.expired,
    expired: stats.expired,
    never_expiring: stats.neverExpiring,
    used_last_30_days: stats.usedLast30Days,
    users_with_tokens: stats.usersWithTokens,
    by_scope: stats.byScope,
  },
});
