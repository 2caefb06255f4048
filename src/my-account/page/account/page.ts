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

/** What one of the pages shows. */
export type AccountView =
  | {
      view: 'overview';
      account: AccountReply['account'];
      /** The names of the applications that the person may use. */
      apps: string[];
      canEdit: boolean;
      /** Whether an address can be changed, which takes mail. */
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
      /** Whether the box to revoke the API tokens is ticked. */
      endsTokens: boolean;
    }
  | {
      view: 'two-step';
      isOn: boolean;
      codesLeft: number;
      /** False where SECOND_FACTOR asks this user for a second factor. */
      mayTurnOff: boolean;
      /** An app that is being set up; undefined: none. */
      draft: Omit<TotpReply, 'success'> | undefined;
      /** New ones, which no other page shows. */
      recoveryCodes: string[] | undefined;
      trusts: TrustsReply['trusted_devices'];
    }
  | {
      view: 'passkeys';
      passkeys: PasskeysReply['passkeys'];
      /** A name that was refused; undefined: none was. */
      renaming: { ref: string; name: string } | undefined;
    }
  | { view: 'sessions'; sessions: SessionsReply['sessions'] }
  | {
      view: 'connections';
      connections: ConnectionsReply['connections'];
      /** The page of a provider where the link is made now; undefined: none has been started. */
      onward: { label: string; url: string } | undefined;
    }
  | {
      view: 'tokens';
      /** Each with the names of its applications. */
      tokens: (TokensReply['tokens'][number] & { apps: string[] })[];
      /** What a new one can allow. */
      scopes: TokenScope[];
      /** Those that a new one can be for. */
      apps: { key: string; name: string }[];
      /** What the form holds. */
      values: { name: string; scope: string; expiresDays: string; allowed_apps: string[] };
      /** A new one, which no other page shows. */
      created: { name: string; token: string } | undefined;
    }
  | { view: 'grants'; grants: GrantsReply['grants'] }
  | { view: 'activity'; events: ActivityReply['events']; next: string | null };

/** The fields of forms that a refusal can be about. */
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
/** What the template needs. */
export type AccountPage = AccountView & {
  csrfToken: string;
  /** The pages that are of use to this user here. */
  pages: AccountView['view'][];
  /** Why a form was refused, and the field that is to blame; undefined: none. */
  refusal: (Refusal & { field: AccountField | undefined }) | undefined;
  /** What was changed that led here; undefined: nothing. */
  done: keyof typeof en.done | undefined;
  /** The ways to confirm, and for how many more seconds no confirmation is due. */
  confirmation: { ways: readonly string[]; seconds: number };
  /** A form that waits for a confirmation, to be sent once more together with it. */
  pending: { path: string; fields: { name: string; value: string }[] } | undefined;
};

/** The pages of a user's own account. */
export const accountPage = definePage({
  name: 'account',
  texts: { en, de },
  script: { ids: ['account'], showsRefusals: true },
  samples,
});

/** What a change can have done, as the address of the page after it says. */
export const isDone = (name: unknown): name is keyof typeof en.done =>
  typeof name === 'string' && Object.hasOwn(en.done, name);
