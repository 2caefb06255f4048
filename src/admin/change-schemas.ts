import { type Static, Type } from 'typebox';
import { profileScopes } from '../api-tokens/token.ts';
import { idTokenAlgs } from '../applications/application.ts';
import { oneOf, orNull } from '../http/values.ts';
import { consoleApplication, consoleProfile } from './console-schemas.ts';

const done = Type.Literal(true);
const text = Type.String({ maxLength: 4096 });
const optionalText = Type.Optional(text);
const optionalTexts = Type.Optional(Type.Array(text, { maxItems: 200 }));
const optionalFlag = Type.Optional(Type.Boolean());
const textOrNull = Type.Optional(orNull(text));
const instantOrNull = orNull(Type.String({ description: 'ISO 8601, UTC' }));

/** Versions of records start at 1. Version 0 is accepted, but is always outdated. */
const version = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: "The record's version from the last reply. If the record has changed since then, the request is refused",
});
export const versionQuery = Type.Object({
  version: Type.String({
    pattern: '^(0|[1-9][0-9]{0,9})$',
    description:
      "The record's version from the last reply. If the record has changed since then, the request is refused",
  }),
});
export type VersionQuery = Static<typeof versionQuery>;

const userFields = {
  full_name: optionalText,
  role: optionalText,
  allowed_apps: optionalTexts,
  image: optionalText,
  email: textOrNull,
  is_active: optionalFlag,
};
export const newUserRequest = Type.Object({ username: text, ...userFields });
export type NewUserRequest = Static<typeof newUserRequest>;
export const userChangeRequest = Type.Object({ version, ...userFields });
export type UserChangeRequest = Static<typeof userChangeRequest>;
/** The fields of a user that a superadmin can set. */
export type UserFields = Omit<UserChangeRequest, 'version'>;

const hours = Type.Optional(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 720,
    description: 'For how many hours the link is valid; fractions are allowed',
  }),
);
const send = Type.Optional(Type.Boolean({ description: 'true: mail the link to the user instead of returning it' }));
export const inviteRequest = Type.Object({ hours, send });
export type InviteRequest = Static<typeof inviteRequest>;
export const resetRequest = Type.Object({
  hours,
  send,
  without_second_factor: Type.Optional(
    Type.Boolean({ description: "true: using the link also removes the user's second factor" }),
  ),
});
export type ResetRequest = Static<typeof resetRequest>;
export const linkReply = Type.Object({
  success: done,
  link: orNull(Type.String({ description: 'Shown only in this reply; null if the link was mailed' })),
  expires_at: Type.String({ description: 'ISO 8601, UTC' }),
});

/** The body of a change that needs no field. It may contain the CSRF token, like every body. */
export const emptyRequest = Type.Object({});

export const connectionRequest = Type.Object({ provider: text, account_id: text });
export type ConnectionRequest = Static<typeof connectionRequest>;
export const providerParams = Type.Object({
  id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  provider: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }),
});
export const passkeyParams = Type.Object({
  id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  ref: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }),
});
export const refParams = Type.Object({ ref: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }) });
export const endedReply = Type.Object({ success: done, ended: Type.Integer({ minimum: 0 }) });

const days = Type.Optional(
  Type.Integer({ description: "Lifetime of the profile's tokens in days: 1 to 3650, default 90" }),
);
export const newProfileRequest = Type.Object({
  name: text,
  key: optionalText,
  scope: Type.Optional(oneOf(profileScopes)),
  allowed_apps: optionalTexts,
  expires_in_days: days,
});
export type NewProfileRequest = Static<typeof newProfileRequest>;
export const profileChangeRequest = Type.Object({ is_active: Type.Boolean() });
export type ProfileChangeRequest = Static<typeof profileChangeRequest>;
export const profileReply = Type.Object({ success: done, profile: consoleProfile });

const applicationFields = {
  urls: optionalTexts,
  redirect_uris: optionalTexts,
  post_logout_redirect_uris: optionalTexts,
  roles: optionalTexts,
  backchannel_logout_uri: textOrNull,
  icon: textOrNull,
  is_public: optionalFlag,
  is_third_party: optionalFlag,
  device_flow: optionalFlag,
  id_token_alg: Type.Optional(oneOf(idTokenAlgs)),
  pkce_required: Type.Optional(
    Type.Boolean({ description: 'Whether the application must use PKCE; always true for a public application' }),
  ),
};
export const newApplicationRequest = Type.Object({ key: text, name: text, ...applicationFields });
export type NewApplicationRequest = Static<typeof newApplicationRequest>;
export const applicationChangeRequest = Type.Object({
  version,
  name: optionalText,
  is_active: optionalFlag,
  ...applicationFields,
});
export type ApplicationChangeRequest = Static<typeof applicationChangeRequest>;
export const secretReply = Type.Object({
  success: done,
  application: consoleApplication,
  secret: Type.Optional(
    Type.String({ description: 'Shown only in this reply; present only if the request made a secret' }),
  ),
});
export const rotateRequest = Type.Object({
  keep_old_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 720,
      description: 'For how many hours the old secret still works; default 24',
    }),
  ),
});
export type RotateRequest = Static<typeof rotateRequest>;
export const rotatedReply = Type.Object({
  success: done,
  secret: Type.String({ description: 'Shown only in this reply' }),
  expires_at: instantOrNull,
});
