import { type Static, Type } from 'typebox';
import { totpDraftView } from '../factors/schemas.ts';
import { browserNames } from '../lib/browser-names.ts';
import type { AccountFacts, OwnSession } from './describe-account.ts';

const instant = Type.String({ description: 'ISO 8601, UTC' });
const instantOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'ISO 8601, UTC' });
const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const success = { success: Type.Literal(true) };
const csrf = { _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token, unless X-CSRF-Token has it' })) };

const isoOf = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null): string | null => (at === null ? null : isoOf(at));

const ownSession = Type.Object({
  ref: Type.String({ description: 'Names the session without revealing its id' }),
  browser: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Such as Firefox 128' }),
  system: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Such as Linux' }),
  address: Type.String({ description: 'Client address at the sign-in' }),
  method: Type.String({ description: 'password, link, or the name of a provider' }),
  created_at: instant,
  last_seen_at: Type.String({ description: 'ISO 8601, UTC; to five minutes' }),
  expires_at: instant,
  current: Type.Boolean(),
});

const toOwnSession = (session: OwnSession): Static<typeof ownSession> => ({
  ref: session.ref,
  ...browserNames(session.userAgent),
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

export const toAccountReply = ({
  user,
  session,
  recoveryCodesLeft,
  confirmedUntil,
}: AccountFacts): Static<typeof accountReply> => ({
  success: true,
  account: {
    user_id: user.id,
    username: user.username,
    full_name: user.fullName,
    image: user.image,
    role: user.role,
    allowed_apps: user.allowedApps,
    email: user.email,
    email_pending: null,
    has_password: user.hasPassword,
    two_factor_enabled: user.secondFactorAt !== null,
    recovery_codes_left: recoveryCodesLeft,
    passkeys: 0,
    created_at: isoOf(user.createdAt),
    last_login_at: isoOrNull(user.lastLoginAt),
  },
  session: toOwnSession(session),
  confirmed_until: isoOrNull(confirmedUntil),
});

export const profileRequest = Type.Object({
  full_name: Type.Optional(Type.String({ description: 'At most 255 characters' })),
  image: Type.Optional(Type.String({ description: 'http or https URL of a picture, or empty' })),
  ...csrf,
});
export type ProfileRequest = Static<typeof profileRequest>;

export const confirmRequest = Type.Object({
  password: Type.Optional(Type.String({ description: 'The password, if no second factor is on' })),
  token: Type.Optional(Type.String({ description: 'Six digits, or a recovery code' })),
  ...csrf,
});
export type ConfirmRequest = Static<typeof confirmRequest>;

export const confirmReply = Type.Object({ ...success, confirmed_until: instant });
export const toConfirmReply = (until: number): Static<typeof confirmReply> => ({
  success: true,
  confirmed_until: isoOf(until),
});

export const sessionsReply = Type.Object({ ...success, sessions: Type.Array(ownSession) });
export const toSessionsReply = (sessions: readonly OwnSession[]): Static<typeof sessionsReply> => ({
  success: true,
  sessions: sessions.map(toOwnSession),
});

export const totpReply = Type.Object({ ...success, ...totpDraftView.properties });

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

/** A change that needs only the CSRF token. */
export const plainRequest = Type.Object(csrf);

export const refParams = Type.Object({ ref: Type.String() });
export type RefParams = Static<typeof refParams>;

export const endedReply = Type.Object({ ...success, ended: Type.Integer({ description: 'How many have ended' }) });
