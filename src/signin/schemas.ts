import { type Static, Type } from 'typebox';
import { requestOptions, totpDraftView } from '../factors/schemas.ts';

export const loginRequest = Type.Object({
  username: Type.String({ minLength: 1, description: 'Username: 1 to 255 characters after trimming' }),
  password: Type.String({ minLength: 1, description: 'Password: 8 to 255 characters' }),
  redirect: Type.Optional(
    Type.Unknown({ description: 'Where to go afterwards: a path on this host, or a URL of a registered application' }),
  ),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the login page; optional, but checked if sent' })),
});
export type LoginRequest = Static<typeof loginRequest>;

export const secondStepDue = {
  two_factor_required: Type.Optional(Type.Literal(true)),
  enrolment_required: Type.Optional(
    Type.Literal(true, {
      description: 'The user must set up an authenticator app as the second step, at /authsvc/2fa',
    }),
  ),
};

export const loginReply = Type.Object({
  success: Type.Literal(true),
  message: Type.Optional(Type.String()),
  redirect_url: Type.Optional(
    Type.String({ description: 'Where to go next; absent if a second step is required first' }),
  ),
  ...secondStepDue,
});
export type LoginReply = Static<typeof loginReply>;

export const passkeyOptionsRequest = Type.Object({
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page; optional, but checked if sent' })),
});

export const passkeyOptionsReply = Type.Object({
  success: Type.Literal(true),
  options: requestOptions,
});
export type PasskeyOptionsReply = Static<typeof passkeyOptionsReply>;

export const passkeyRequest = Type.Object({
  response: Type.Object(
    {},
    { description: 'Response of the authenticator: AuthenticationResponseJSON of Web Authentication' },
  ),
  redirect: loginRequest.properties.redirect,
  _csrf: loginRequest.properties._csrf,
});
export type PasskeyRequest = Static<typeof passkeyRequest>;

export const passkeyReply = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  redirect_url: Type.String({ description: 'Where to go next' }),
});
export type PasskeyReply = Static<typeof passkeyReply>;

export const secondStepRequest = Type.Object({
  token: Type.String({ minLength: 1, description: 'Code of the second factor: six digits, or a recovery code' }),
  step: Type.Optional(
    Type.Unknown({
      description: 'Name of the sign-in to complete, from its page. If absent: the newest sign-in of this browser',
    }),
  ),
  trust_device: Type.Optional(
    Type.Unknown({ description: 'true or "true": this browser skips the second step for DEVICE_TRUST_DURATION_DAYS' }),
  ),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })),
});
export type SecondStepRequest = Static<typeof secondStepRequest>;

export const enrolRequest = Type.Object({
  step: secondStepRequest.properties.step,
  _csrf: secondStepRequest.properties._csrf,
});
export type EnrolRequest = Static<typeof enrolRequest>;

export const enrolReply = Type.Object({ success: Type.Literal(true), ...totpDraftView.properties });
export type EnrolReply = Static<typeof enrolReply>;

/** Accepts any value, because an invalid `step` just matches no sign-in. */
export const secondStepPageQuery = Type.Object({
  step: Type.Optional(
    Type.Unknown({ description: 'Name of the sign-in to complete. If absent: the newest sign-in of this browser' }),
  ),
  recovery: Type.Optional(Type.Unknown({ description: 'If given, the page asks for a recovery code' })),
});
export type SecondStepPageQuery = Static<typeof secondStepPageQuery>;

export const secondStepReply = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  redirect_url: Type.String(),
  recovery_codes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Present only if this sign-in set up an authenticator app; shown only once',
    }),
  ),
});
export type SecondStepReply = Static<typeof secondStepReply>;

const { step, trust_device, _csrf } = secondStepRequest.properties;

/** Accepts any value in the fields of the form. The guards of the route check them and throw the errors. */
export const secondStepForm = Type.Object({
  token: Type.Optional(Type.Unknown({ description: 'Code of the second factor: six digits, or a recovery code' })),
  step,
  trust_device,
  redirect: Type.Optional(Type.Unknown({ description: 'Where to go after the sign-in if it has to start again' })),
  _csrf,
});
export type SecondStepForm = Static<typeof secondStepForm>;

export const enrolForm = Type.Object({
  step,
  redirect: secondStepForm.properties.redirect,
  _csrf,
});

export const loginForm = Type.Object({
  username: Type.Optional(Type.Unknown({ description: 'Username: 1 to 255 characters after trimming' })),
  password: Type.Optional(Type.Unknown({ description: 'Password: 8 to 255 characters' })),
  _csrf: loginRequest.properties._csrf,
});
export type LoginForm = Static<typeof loginForm>;

/** Accepts repeated and invalid values. An invalid redirect is replaced by the default. */
export const loginPageQuery = Type.Object({
  redirect: Type.Optional(Type.Unknown()),
  add: Type.Optional(Type.Unknown({ description: 'If given, the page signs in one more account in this browser' })),
  again: Type.Optional(
    Type.Unknown({ description: 'If given, the person who is already signed in must sign in again' }),
  ),
  onward: Type.Optional(
    Type.Unknown({ description: 'If given, the page redirects a person who is already signed in' }),
  ),
  login_hint: Type.Optional(Type.Unknown({ description: 'Username to fill in on the form' })),
});
export type LoginPageQuery = Static<typeof loginPageQuery>;

/** Accepts repeated and invalid values. An invalid redirect is replaced by the login page. */
export const logoutPageQuery = Type.Object({
  redirect: Type.Optional(
    Type.Unknown({ description: 'Where to go afterwards: a path on this host, or a URL of a registered application' }),
  ),
});
export type LogoutPageQuery = Static<typeof logoutPageQuery>;

export const logoutForm = Type.Object({
  ...logoutPageQuery.properties,
  accounts: Type.Optional(
    Type.Unknown({
      description:
        'Whose sessions end: current (the current account) or all (every account of this browser). Any other value counts as current',
    }),
  ),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })),
});
export type LogoutForm = Static<typeof logoutForm>;

export const logoutRequest = Type.Object({ _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token' })) });

export const doneReply = Type.Object({ success: Type.Literal(true), message: Type.String() });
export type DoneReply = Static<typeof doneReply>;
