import type { TokenScope } from '../../../api-tokens/token.ts';
import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import type { PasskeysReply } from '../../passkey-schemas.ts';
import type {
  AccountReply,
  ActivityReply,
  ConnectionsReply,
  GrantsReply,
  SessionsReply,
  TokensReply,
  TotpReply,
  TrustsReply,
} from '../../schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of one account page. */
export type AccountView =
  | {
      view: 'overview';
      account: AccountReply['account'];
      /** The names of the applications that the user may use. */
      apps: string[];
      canEdit: boolean;
      /** Whether the user can change their e-mail address. This requires a mail server. */
      hasMail: boolean;
      values: { full_name: string; image: string; email: string };
    }
  | {
      view: 'password';
      username: string;
      hasPassword: boolean;
      asksForCode: boolean;
      mustConfirm: boolean;
      tokenCount: number;
      /** Whether the checkbox for revoking the API tokens is checked. */
      endsTokens: boolean;
    }
  | {
      view: 'two-step';
      isOn: boolean;
      codesLeft: number;
      /** False if SECOND_FACTOR requires this user to have a second factor. */
      mayTurnOff: boolean;
      /** An authenticator app that is being set up; undefined if there is none. */
      draft: Omit<TotpReply, 'success'> | undefined;
      /** New recovery codes. No other page shows them. */
      recoveryCodes: string[] | undefined;
      trusts: TrustsReply['trusted_devices'];
    }
  | {
      view: 'passkeys';
      passkeys: PasskeysReply['passkeys'];
      /** The new name of a passkey, if this name was refused; undefined if no name was refused. */
      renaming: { ref: string; name: string } | undefined;
    }
  | { view: 'sessions'; sessions: SessionsReply['sessions'] }
  | {
      view: 'connections';
      connections: ConnectionsReply['connections'];
      /** The page of the provider where the user continues to link an account; undefined if no link was started. */
      onward: { label: string; url: string } | undefined;
    }
  | {
      view: 'tokens';
      /** The API tokens, each with the names of its applications. */
      tokens: (TokensReply['tokens'][number] & { apps: string[] })[];
      /** The scopes that a new token can have. */
      scopes: TokenScope[];
      /** The applications that a new token can be valid for. */
      apps: { key: string; name: string }[];
      /** The values in the fields of the form. */
      values: { name: string; scope: string; expiresDays: string; allowed_apps: string[] };
      /** A new token. No other page shows it. */
      created: { name: string; token: string } | undefined;
    }
  | { view: 'grants'; grants: GrantsReply['grants'] }
  | { view: 'activity'; events: ActivityReply['events']; next: string | null };

/** The form fields that an error can be about. */
export type AccountField =
  | 'full_name'
  | 'image'
  | 'current_password'
  | 'new_password'
  | 'password'
  | 'token'
  | 'name'
  | 'scope'
  | 'expiresDays'
  | 'allowed_apps'
  | 'email';
/** The data for the template. */
export type AccountPage = AccountView & {
  csrfToken: string;
  /** The pages in the navigation. Pages that are not useful with these settings are left out. */
  pages: AccountView['view'][];
  /** Why a form was refused, and the field that caused it; undefined if no form was refused. */
  refusal: (Refusal & { field: AccountField | undefined }) | undefined;
  /** The change that was just made; undefined if there was none. */
  done: keyof typeof en.done | undefined;
  /** The user's ways to confirm, and for how many more seconds the session is confirmed. */
  confirmation: { ways: readonly string[]; seconds: number };
  /** A form that needs a confirmation. The page sends it again together with the proof. */
  pending: { path: string; fields: { name: string; value: string }[] } | undefined;
};

/** The pages of a user's own account. */
export const accountPage = definePage({
  name: 'account',
  texts: { en, de },
  script: { ids: ['account'], showsRefusals: true },
  samples,
});

/**
 * Returns whether a name is one of the changes that the next page can report as done. The name comes from the URL.
 */
export const isDone = (name: unknown): name is keyof typeof en.done =>
  typeof name === 'string' && Object.hasOwn(en.done, name);
