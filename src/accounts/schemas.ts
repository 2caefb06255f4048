import { type Static, Type } from 'typebox';
import { orNull } from '../http/values.ts';
import type { Session } from '../sessions/session.ts';

/** The accounts that a browser can use, newest first, and the one that it uses now. */
export interface RememberedAccounts {
  sessions: Session[];
  current: Session | undefined;
}

/** `session_id` accepts any value here, because the rule reports the same error for all invalid ids. */
export const switchRequest = Type.Object({
  session_id: Type.Optional(Type.Unknown({ description: 'UUID of a session from account-sessions' })),
  redirect: Type.Optional(
    Type.Unknown({ description: 'Where to go afterwards: a path on this host, or a URL of a registered application' }),
  ),
});
export type SwitchRequest = Static<typeof switchRequest>;

export const switchReply = Type.Object({
  success: Type.Literal(true),
  username: Type.String(),
  fullName: Type.String(),
  redirect: Type.String(),
});
export type SwitchReply = Static<typeof switchReply>;

export const accountsReply = Type.Object({
  accounts: Type.Array(
    Type.Object({
      session_id: Type.String(),
      username: Type.String(),
      full_name: Type.String(),
      is_current: Type.Boolean(),
    }),
  ),
  current_session_id: orNull(Type.String()),
});

export function toAccountsReply({ sessions, current }: RememberedAccounts): Static<typeof accountsReply> {
  return {
    accounts: sessions.map(({ id, username, fullName }) => ({
      session_id: id,
      username,
      full_name: fullName,
      is_current: id === current?.id,
    })),
    current_session_id: current?.id ?? null,
  };
}

/** Accepts any value in each field, because the rule reports the same error for all invalid ids. */
export const switchForm = Type.Object({
  ...switchRequest.properties,
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })),
});
export type SwitchForm = Static<typeof switchForm>;

export const accountsPageQuery = Type.Object({ redirect: Type.Optional(Type.Unknown()) });
