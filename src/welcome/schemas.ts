import { type Static, Type } from 'typebox';
import { creationOptions } from '../factors/schemas.ts';
import { secondStepDue } from '../signin/schemas.ts';

const csrf = { _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token; optional, but checked if sent' })) };

export const welcomeRequest = Type.Object({
  code: Type.String({ minLength: 1, description: "The code: the last part of the link's path" }),
  new_password: Type.Optional(Type.String({ minLength: 1, description: 'New password: 8 to 255 characters' })),
  response: Type.Optional(
    Type.Object(
      {},
      {
        description:
          'Response of the authenticator, instead of new_password: RegistrationResponseJSON of Web Authentication',
      },
    ),
  ),
  token: Type.Optional(
    Type.String({
      description:
        'Code of the second factor: six digits, or a recovery code. Required if the page of the link asks for it',
    }),
  ),
  ...csrf,
});
export type WelcomeRequest = Static<typeof welcomeRequest>;

export const welcomeReply = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  redirect_url: Type.String(),
  ...secondStepDue,
});
export type WelcomeReply = Static<typeof welcomeReply>;

export const linkOptionsRequest = Type.Object({
  code: Type.String({ minLength: 1, description: "The code: the last part of the link's path" }),
  ...csrf,
});
export type LinkOptionsRequest = Static<typeof linkOptionsRequest>;

export const linkOptionsReply = Type.Object({ success: Type.Literal(true), options: creationOptions });
export type LinkOptionsReply = Static<typeof linkOptionsReply>;

const MAX_TYPED = 1024;

export const forgotRequest = Type.Object({
  username: Type.String({
    minLength: 1,
    maxLength: MAX_TYPED,
    description: 'A username or a confirmed e-mail address',
  }),
  ...csrf,
});
export type ForgotRequest = Static<typeof forgotRequest>;

export const forgotForm = Type.Object({
  username: Type.Optional(Type.Unknown({ description: 'A username or a confirmed e-mail address' })),
  ...csrf,
});
export type ForgotForm = Static<typeof forgotForm>;

export const acceptedReply = Type.Object({ success: Type.Literal(true), message: Type.String() });

export const linkParams = Type.Object({ code: Type.String() });
export type LinkParams = Static<typeof linkParams>;

/** Accepts any value in the fields of the form. The route checks them and shows the errors on the page. */
export const welcomeForm = Type.Object({
  new_password: Type.Optional(Type.Unknown({ description: 'New password: 8 to 255 characters' })),
  token: Type.Optional(Type.Unknown({ description: 'Code of the second factor: six digits, or a recovery code' })),
  ...csrf,
});
export type WelcomeForm = Static<typeof welcomeForm>;

/** A form with no field except the CSRF token. */
export const plainForm = Type.Object(csrf);

export const confirmEmailRequest = Type.Object({
  code: Type.String({ minLength: 1, description: "The code: the last part of the link's path" }),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token, unless the header X-CSRF-Token carries it' })),
});
export type ConfirmEmailRequest = Static<typeof confirmEmailRequest>;

export const confirmEmailReply = Type.Object({ success: Type.Literal(true), message: Type.String() });
