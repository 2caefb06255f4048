import { type Static, Type } from 'typebox';
import { listedToken } from '../api-tokens/schemas.ts';
import type { OwnTrust } from '../factors/list-trusts.ts';
import { totpDraftView } from '../factors/schemas.ts';
import { oneOf, orNull } from '../http/values.ts';
import type { BrowserReader } from '../lib/browser-names.ts';
import { isoOrNull } from '../lib/instant.ts';
import { listedGrant } from '../oidc/schemas.ts';
import type { Language } from '../ui/texts/languages.ts';
import { activityText, type LabelOf } from './activity-texts.ts';
import type { AccountFacts, OwnSession } from './describe-account.ts';
import type { ActivityEvent } from './list-activity.ts';
import type { Connection } from './list-connections.ts';

const instant = Type.String({ description: 'ISO 8601, UTC' });
const instantOrNull = orNull(instant);
const textOrNull = orNull(Type.String());
const success = { success: Type.Literal(true) };
const csrf = {
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token, unless the header X-CSRF-Token carries it' })),
};

const isoOf = (at: number): string => new Date(at).toISOString();

const ownSession = Type.Object({
  ref: Type.String({ description: 'Reference that names the session without revealing its id' }),
  browser: orNull(Type.String({ description: 'Such as Firefox 128' })),
  system: orNull(Type.String({ description: 'Such as Linux' })),
  address: Type.String({ description: 'Client address at the sign-in' }),
  method: Type.String({ description: 'How the user signed in: password, passkey, link, or the name of a provider' }),
  created_at: instant,
  last_seen_at: Type.String({ description: 'ISO 8601, UTC; accurate to five minutes' }),
  expires_at: instant,
  current: Type.Boolean(),
});

const toOwnSession = (session: OwnSession, namesOf: BrowserReader): Static<typeof ownSession> => ({
  ref: session.ref,
  ...namesOf(session.userAgent),
  address: session.address,
  method: session.method,
  created_at: isoOf(session.createdAt),
  last_seen_at: isoOf(session.lastSeenAt),
  expires_at: isoOf(session.expiresAt),
  current: session.isCurrent,
});

export const accountReply = Type.Object({
  ...success,
  account: Type.Object({
    user_id: Type.Integer(),
    username: Type.String(),
    full_name: Type.String(),
    image: Type.String(),
    role: Type.String(),
    allowed_apps: Type.Array(Type.String()),
    email: textOrNull,
    email_pending: textOrNull,
    has_password: Type.Boolean(),
    two_factor_enabled: Type.Boolean(),
    recovery_codes_left: Type.Integer(),
    passkeys: Type.Integer(),
    created_at: instant,
    last_login_at: instantOrNull,
  }),
  session: ownSession,
  confirmed_until: instantOrNull,
});
export type AccountReply = Static<typeof accountReply>;

export const toAccountReply = (
  { user, session, emailPending, recoveryCodesLeft, passkeys, confirmedUntil }: AccountFacts,
  namesOf: BrowserReader,
): AccountReply => ({
  success: true,
  account: {
    user_id: user.id,
    username: user.username,
    full_name: user.fullName,
    image: user.image,
    role: user.role,
    allowed_apps: user.allowedApps,
    email: user.email,
    email_pending: emailPending,
    has_password: user.hasPassword,
    two_factor_enabled: user.secondFactorAt !== null,
    recovery_codes_left: recoveryCodesLeft,
    passkeys,
    created_at: isoOf(user.createdAt),
    last_login_at: isoOrNull(user.lastLoginAt),
  },
  session: toOwnSession(session, namesOf),
  confirmed_until: isoOrNull(confirmedUntil),
});

export const profileRequest = Type.Object({
  full_name: Type.Optional(Type.String({ description: 'Full name, at most 255 characters' })),
  image: Type.Optional(Type.String({ description: 'http or https URL of a picture, or an empty text for none' })),
  ...csrf,
});
export type ProfileRequest = Static<typeof profileRequest>;

export const emailRequest = Type.Object({
  email: Type.String({ description: 'New e-mail address, at most 254 characters' }),
  ...csrf,
});
export type EmailRequest = Static<typeof emailRequest>;

export const emailReply = Type.Object({
  ...success,
  email_pending: Type.String({ description: 'The new e-mail address, which is not confirmed yet' }),
});

export const confirmRequest = Type.Object({
  password: Type.Optional(
    Type.String({ description: "The user's password; accepted only if the user has no second factor" }),
  ),
  token: Type.Optional(Type.String({ description: 'Code of the second factor: six digits, or a recovery code' })),
  response: Type.Optional(
    Type.Object(
      {},
      {
        description:
          'Response of an authenticator, for users who have a passkey: AuthenticationResponseJSON of Web Authentication',
      },
    ),
  ),
  ...csrf,
});
export type ConfirmRequest = Static<typeof confirmRequest>;

export const confirmReply = Type.Object({ ...success, confirmed_until: instant });
export const toConfirmReply = (until: number): Static<typeof confirmReply> => ({
  success: true,
  confirmed_until: isoOf(until),
});

export const sessionsReply = Type.Object({ ...success, sessions: Type.Array(ownSession) });
export type SessionsReply = Static<typeof sessionsReply>;
export const toSessionsReply = (sessions: readonly OwnSession[], namesOf: BrowserReader): SessionsReply => ({
  success: true,
  sessions: sessions.map((session) => toOwnSession(session, namesOf)),
});

export const totpReply = Type.Object({ ...success, ...totpDraftView.properties });
export type TotpReply = Static<typeof totpReply>;

export const totpRequest = Type.Object({
  token: Type.String({ minLength: 1, description: 'Six digits from the new authenticator app' }),
  ...csrf,
});
export type TotpRequest = Static<typeof totpRequest>;

export const recoveryCodesReply = Type.Object({
  ...success,
  recovery_codes: Type.Array(Type.String(), { description: 'Shown only once' }),
});

export const doneReply = Type.Object(success);

export const passwordRequest = Type.Object({
  current_password: Type.Optional(Type.String({ description: 'Required if the user has a password' })),
  new_password: Type.String({ minLength: 1, description: 'New password: 8 to 255 characters' }),
  end_tokens: Type.Optional(Type.Boolean({ description: "Whether the user's API tokens are revoked too" })),
  ...csrf,
});
export type PasswordRequest = Static<typeof passwordRequest>;

export const passwordReply = Type.Object({
  ...success,
  tokens: Type.Integer({
    description: 'Number of API tokens: with end_tokens, those that were revoked, else those that remain valid',
  }),
});

const ownTrust = Type.Object({
  ref: Type.String(),
  browser: textOrNull,
  system: textOrNull,
  created_at: instant,
  expires_at: instant,
  current: Type.Boolean(),
});

export const trustsReply = Type.Object({ ...success, trusted_devices: Type.Array(ownTrust) });
export type TrustsReply = Static<typeof trustsReply>;
export const toTrustsReply = (trusts: readonly OwnTrust[], namesOf: BrowserReader): TrustsReply => ({
  success: true,
  trusted_devices: trusts.map((trust) => ({
    ref: trust.ref,
    ...namesOf(trust.userAgent),
    created_at: isoOf(trust.createdAt),
    expires_at: isoOf(trust.expiresAt),
    current: trust.isCurrent,
  })),
});

const { parent_id: _parent, ...ownToken } = listedToken.properties;
export const tokensReply = Type.Object({ ...success, tokens: Type.Array(Type.Object(ownToken)) });
export type TokensReply = Static<typeof tokensReply>;

/** The schema accepts any value. The handler refuses invalid values and names the field. */
export const activityQuery = Type.Object({
  before: Type.Optional(Type.Unknown({ description: 'Value of `next` from the previous page' })),
  limit: Type.Optional(Type.Unknown({ description: 'Maximum number of items: 1 to 100, default 50, on the page 25' })),
});
export type ActivityQuery = Static<typeof activityQuery>;

export const activityReply = Type.Object({
  ...success,
  events: Type.Array(
    Type.Object({
      at: instant,
      event: Type.String({ description: 'Name of the event; audit.md lists all events' }),
      text: Type.String({ description: 'The event as a sentence' }),
      by: oneOf(['you', 'token', 'operator', 'system']),
      address: textOrNull,
      browser: textOrNull,
      system: textOrNull,
    }),
  ),
  next: textOrNull,
});
export type ActivityReply = Static<typeof activityReply>;

export function toActivityReply(
  language: Language,
  { events, next }: { events: readonly ActivityEvent[]; next: string | null },
  { labelOf, namesOf, appOf }: { labelOf: LabelOf; namesOf: BrowserReader; appOf: (key: string) => string },
): ActivityReply {
  const shown = events.map(({ application, ...event }) => ({
    at: isoOf(event.at),
    event: event.event,
    text: activityText(
      language,
      { ...event, application: application === null ? undefined : appOf(application) },
      labelOf,
    ),
    by: event.by,
    address: event.address,
    ...namesOf(event.userAgent ?? ''),
  }));
  return { success: true, events: shown, next };
}

export const providerParams = Type.Object({ provider: Type.String() });
export type ProviderParams = Static<typeof providerParams>;

export const startReply = Type.Object({ ...success, redirect_url: Type.String({ description: 'Where to go next' }) });

export const connectionsReply = Type.Object({
  ...success,
  connections: Type.Array(
    Type.Object({
      provider: Type.String(),
      label: Type.String({ description: 'Name of the provider on the pages' }),
      enabled: Type.Boolean({ description: 'Whether users can sign in through the provider' }),
      linked: Type.Boolean(),
      account_id: textOrNull,
      linked_at: instantOrNull,
    }),
  ),
});
export type ConnectionsReply = Static<typeof connectionsReply>;

export const toConnectionsReply = (connections: readonly Connection[]): ConnectionsReply => ({
  success: true,
  connections: connections.map(({ provider, label, isEnabled, account }) => ({
    provider,
    label,
    enabled: isEnabled,
    linked: account !== undefined,
    account_id: account?.id ?? null,
    linked_at: isoOrNull(account?.linkedAt ?? null),
  })),
});

export const grantsReply = Type.Object({ ...success, grants: Type.Array(listedGrant) });
export type GrantsReply = Static<typeof grantsReply>;

/** The body of a change that needs only the CSRF token. */
export const plainRequest = Type.Object(csrf);

export const refParams = Type.Object({ ref: Type.String() });
export type RefParams = Static<typeof refParams>;

export const endedReply = Type.Object({ ...success, ended: Type.Integer({ description: 'How many of them ended' }) });
