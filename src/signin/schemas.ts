import { type Static, Type } from 'typebox';
import { requestOptions, totpDraftView } from '../factors/schemas.ts';

export const loginRequest = Type.Object({
  username: Type.String({ minLength: 1, description: '1 to 255 characters after trimming' }),
  password: Type.String({ minLength: 1, description: '8 to 255 characters' }),
  redirect: Type.Optional(
    Type.Unknown({ description: 'Where to go then: a path on this host, or a URL of an application' }),
  ),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the login page; checked when sent' })),
});
export type LoginRequest = Static<typeof loginRequest>;

export const secondStepDue = {
  two_factor_required: Type.Optional(Type.Literal(true)),
  enrolment_required: Type.Optional(
    Type.Literal(true, { description: 'The second step is to set up an authenticator app, at /authsvc/2fa' }),
  ),
};

export const loginReply = Type.Object({
  success: Type.Literal(true),
  message: Type.Optional(Type.String()),
  redirect_url: Type.Optional(Type.String({ description: 'Where to go now; absent while a second step is due' })),
  ...secondStepDue,
});
export type LoginReply = Static<typeof loginReply>;

export const passkeyOptionsRequest = Type.Object({
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page; checked when sent' })),
});

export const passkeyOptionsReply = Type.Object({
  success: Type.Literal(true),
  options: requestOptions,
});
export type PasskeyOptionsReply = Static<typeof passkeyOptionsReply>;

export const passkeyRequest = Type.Object({
  response: Type.Object({}, { description: 'AuthenticationResponseJSON of Web Authentication' }),
  redirect: loginRequest.properties.redirect,
  _csrf: loginRequest.properties._csrf,
});
export type PasskeyRequest = Static<typeof passkeyRequest>;

export const passkeyReply = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  redirect_url: Type.String({ description: 'Where to go now' }),
});
export type PasskeyReply = Static<typeof passkeyReply>;

export const secondStepRequest = Type.Object({
  token: Type.String({ minLength: 1, description: 'six digits, or a recovery code' }),
  step: Type.Optional(Type.Unknown({ description: 'name of the sign-in, from its page; without it, the newest one' })),
  trust_device: Type.Optional(Type.Unknown({ description: 'true or "true": skip this step here from now on' })),
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
  step: Type.Optional(Type.Unknown({ description: 'name of the sign-in; without it, the newest one of this browser' })),
  recovery: Type.Optional(Type.Unknown({ description: 'If given, the page asks for a recovery code' })),
});
export type SecondStepPageQuery = Static<typeof secondStepPageQuery>;

export const secondStepReply = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  redirect_url: Type.String(),
  recovery_codes: Type.Optional(
    Type.Array(Type.String(), { description: 'Shown only once, after an authenticator app was set up' }),
  ),
});
export type SecondStepReply = Static<typeof secondStepReply>;

const { step, trust_device, _csrf } = secondStepRequest.properties;

/** Accepts any value in the fields of the form. The guards of the route check them and throw the errors. */
export const secondStepForm = Type.Object({
  token: Type.Optional(Type.Unknown({ description: 'six digits, or a recovery code' })),
  step,
  trust_device,
  redirect: Type.Optional(Type.Unknown({ description: 'where the sign-in leads if it has to begin again' })),
  _csrf,
});
export type SecondStepForm = Static<typeof secondStepForm>;

export const loginForm = Type.Object({
  username: Type.Optional(Type.Unknown({ description: '1 to 255 characters after trimming' })),
  password: Type.Optional(Type.Unknown({ description: '8 to 255 characters' })),
  _csrf: loginRequest.properties._csrf,
});
export type LoginForm = Static<typeof loginForm>;

/** Accepts repeated and invalid values. An invalid redirect is replaced by the default. */
export const loginPageQuery = Type.Object({
  redirect: Type.Optional(Type.Unknown()),
  add: Type.Optional(
    Type.Unknown({ description: 'If given, the page is for adding an account to those that are signed in here' }),
  ),
  again: Type.Optional(Type.Unknown({ description: 'If given, the person who is signed in here signs in again' })),
  onward: Type.Optional(
    Type.Unknown({ description: 'If given, the browser of a person who is signed in goes on by itself' }),
  ),
  login_hint: Type.Optional(Type.Unknown({ description: 'The name to put into the field' })),
});
export type LoginPageQuery = Static<typeof loginPageQuery>;

/** Accepts repeated and invalid values. An invalid redirect is replaced by the login page. */
export const logoutPageQuery = Type.Object({
  redirect: Type.Optional(
    Type.Unknown({ description: 'Where to go then: a path on this host, or a URL of an application' }),
  ),
});
export type LogoutPageQuery = Static<typeof logoutPageQuery>;

export const logoutForm = Type.Object({
  ...logoutPageQuery.properties,
  accounts: Type.Optional(Type.Unknown({ description: 'current or all; anything else is current' })),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })),
});
export type LogoutForm = Static<typeof logoutForm>;

export const logoutRequest = Type.Object({ _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token' })) });

export const doneReply = Type.Object({ success: Type.Literal(true), message: Type.String() });
export type DoneReply = Static<typeof doneReply>;
