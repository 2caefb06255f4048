import { type Static, Type } from 'typebox';

// These schemas accept any value, so that the page itself can show what is wrong.

const csrf = { _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })) };

/** The proof that a form may contain if the session must be confirmed. */
const proof = {
  password: Type.Optional(Type.Unknown({ description: 'The password, where a confirmation is due' })),
  token: Type.Optional(Type.Unknown({ description: 'Six digits, or a recovery code, where a confirmation is due' })),
};

/** The query of an account page. Invalid values are ignored. */
export const accountPageQuery = Type.Object({
  done: Type.Optional(Type.Unknown({ description: 'Which change was made that led here' })),
  once: Type.Optional(Type.Unknown({ description: 'Names the cookie with what this page shows once' })),
});
export type AccountPageQuery = Static<typeof accountPageQuery>;

export const profileForm = Type.Object({
  full_name: Type.Optional(Type.Unknown({ description: 'At most 255 characters' })),
  image: Type.Optional(Type.Unknown({ description: 'http or https URL of a picture, or empty' })),
  ...csrf,
});
export type ProfileForm = Static<typeof profileForm>;

export const passwordForm = Type.Object({
  current_password: Type.Optional(Type.Unknown({ description: 'Needed by users who have a password' })),
  new_password: Type.Optional(Type.Unknown({ description: '8 to 255 characters' })),
  token: Type.Optional(Type.Unknown({ description: 'Six digits, or a recovery code, where a confirmation is due' })),
  end_tokens: Type.Optional(Type.Unknown({ description: 'true: the API tokens end too' })),
  ...csrf,
});
export type PasswordForm = Static<typeof passwordForm>;

export const sessionsForm = Type.Object({
  ref: Type.Optional(Type.Unknown({ description: 'The session to end' })),
  others: Type.Optional(Type.Unknown({ description: 'true: all but this one end' })),
  ...csrf,
});
export type SessionsForm = Static<typeof sessionsForm>;

export const connectionForm = Type.Object({
  provider: Type.Optional(Type.Unknown({ description: 'Name of the provider' })),
  ...proof,
  ...csrf,
});
export type ConnectionForm = Static<typeof connectionForm>;

export const passkeyForm = Type.Object({
  ref: Type.Optional(Type.Unknown({ description: 'The passkey' })),
  name: Type.Optional(Type.Unknown({ description: '1 to 64 characters' })),
  ...proof,
  ...csrf,
});
export type PasskeyForm = Static<typeof passkeyForm>;

/** A form that has no fields besides the proof and the CSRF token. */
export const plainForm = Type.Object({ ...proof, ...csrf });

export const refForm = Type.Object({
  ref: Type.Optional(Type.Unknown({ description: 'The item of the list' })),
  ...csrf,
});
export type RefForm = Static<typeof refForm>;

export const totpForm = Type.Object({
  token: Type.Optional(Type.Unknown({ description: 'Six digits from the new authenticator app' })),
  ...csrf,
});
export type TotpForm = Static<typeof totpForm>;

export const tokenForm = Type.Object({
  name: Type.Optional(Type.Unknown({ description: 'What the token is for' })),
  scope: Type.Optional(Type.Unknown({ description: 'read-only, write or admin' })),
  expiresDays: Type.Optional(Type.Unknown({ description: 'How many days it lives' })),
  allowed_apps: Type.Optional(Type.Unknown({ description: 'Once for each application; none: all of the user' })),
  ...proof,
  ...csrf,
});
export type TokenForm = Static<typeof tokenForm>;

export const idForm = Type.Object({
  id: Type.Optional(Type.Unknown({ description: 'The token to revoke' })),
  ...csrf,
});
export type IdForm = Static<typeof idForm>;

export const emailForm = Type.Object({
  email: Type.Optional(Type.Unknown({ description: 'The new address' })),
  ...proof,
  ...csrf,
});
export type EmailForm = Static<typeof emailForm>;
