import { type Static, Type } from 'typebox';

// These schemas accept any value, so that the page itself can show what is wrong.

const csrf = { _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })) };

/** The proof that a form may contain if the session must be confirmed. */
const proof = {
  password: Type.Optional(Type.Unknown({ description: "The user's password, if the change requires a confirmation" })),
  token: Type.Optional(
    Type.Unknown({ description: 'Six digits, or a recovery code, if the change requires a confirmation' }),
  ),
};

/** The query of an account page. Invalid values are ignored. */
export const accountPageQuery = Type.Object({
  done: Type.Optional(Type.Unknown({ description: 'Name of the change that was just made, which the page reports' })),
  once: Type.Optional(Type.Unknown({ description: 'Name of the cookie with a value that the page shows only once' })),
});
export type AccountPageQuery = Static<typeof accountPageQuery>;

export const profileForm = Type.Object({
  full_name: Type.Optional(Type.Unknown({ description: 'Full name, at most 255 characters' })),
  image: Type.Optional(Type.Unknown({ description: 'http or https URL of a picture, or an empty text for none' })),
  ...csrf,
});
export type ProfileForm = Static<typeof profileForm>;

export const passwordForm = Type.Object({
  current_password: Type.Optional(Type.Unknown({ description: 'Required if the user has a password' })),
  new_password: Type.Optional(Type.Unknown({ description: 'New password: 8 to 255 characters' })),
  token: Type.Optional(
    Type.Unknown({ description: 'Six digits, or a recovery code, if the change requires a confirmation' }),
  ),
  end_tokens: Type.Optional(Type.Unknown({ description: "true: the user's API tokens are revoked too" })),
  ...csrf,
});
export type PasswordForm = Static<typeof passwordForm>;

export const sessionsForm = Type.Object({
  ref: Type.Optional(Type.Unknown({ description: 'Reference of the session to end' })),
  others: Type.Optional(Type.Unknown({ description: 'true: all your sessions except this one end' })),
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
  ref: Type.Optional(Type.Unknown({ description: 'Reference of the passkey' })),
  name: Type.Optional(Type.Unknown({ description: 'Name of the passkey: 1 to 64 characters' })),
  ...proof,
  ...csrf,
});
export type PasskeyForm = Static<typeof passkeyForm>;

/** A form that has no fields besides the proof and the CSRF token. */
export const plainForm = Type.Object({ ...proof, ...csrf });

export const refForm = Type.Object({
  ref: Type.Optional(Type.Unknown({ description: 'Reference of the list item' })),
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
  scope: Type.Optional(Type.Unknown({ description: 'Scope of the token: read-only, write or admin' })),
  expiresDays: Type.Optional(Type.Unknown({ description: 'Lifetime of the token in days' })),
  allowed_apps: Type.Optional(
    Type.Unknown({
      description:
        'One field for each application that the token is for. If absent: all applications that the user may use',
    }),
  ),
  ...proof,
  ...csrf,
});
export type TokenForm = Static<typeof tokenForm>;

export const idForm = Type.Object({
  id: Type.Optional(Type.Unknown({ description: 'Id of the token to revoke' })),
  ...csrf,
});
export type IdForm = Static<typeof idForm>;

export const emailForm = Type.Object({
  email: Type.Optional(Type.Unknown({ description: 'The new e-mail address' })),
  ...proof,
  ...csrf,
});
export type EmailForm = Static<typeof emailForm>;
