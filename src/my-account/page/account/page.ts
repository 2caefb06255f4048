import type { ErrorName } from '../../../errors/registry.ts';
import { definePage } from '../../../ui/define-page.ts';
import type { AccountReply, ActivityReply, ConnectionsReply, SessionsReply, TokensReply } from '../../schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What one of the pages shows. */
export type AccountView =
  | {
      view: 'overview';
      account: AccountReply['account'];
      canEdit: boolean;
      values: { full_name: string; image: string };
    }
  | {
      view: 'password';
      username: string;
      hasPassword: boolean;
      asksForCode: boolean;
      mustConfirm: boolean;
      tokenCount: number;
    }
  | { view: 'sessions'; sessions: SessionsReply['sessions'] }
  | { view: 'connections'; connections: ConnectionsReply['connections'] }
  | { view: 'tokens'; tokens: TokensReply['tokens'] }
  | { view: 'activity'; events: ActivityReply['events']; next: string | null };

/** The fields of forms that a refusal can be about. */
export type AccountField = 'full_name' | 'image' | 'current_password' | 'new_password' | 'token';

/** What the template needs. */
export type AccountPage = AccountView & {
  csrfToken: string;
  /** Why a form was refused, and the field that is to blame; undefined: none. */
  refusal: { field: AccountField | undefined; code: ErrorName } | undefined;
  /** Whether the change was made that led here. */
  isDone: boolean;
};

/** The pages of a user's own account. */
export const accountPage = definePage({ name: 'account', texts: { en, de }, samples });
