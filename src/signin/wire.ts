import { type Static, Type } from 'typebox';

export const loginRequest = Type.Object({
  username: Type.String({ minLength: 1, description: '1 to 255 characters after trimming' }),
  password: Type.String({ minLength: 1, maxLength: 4096, description: '8 to 255 characters' }),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the login page; checked when sent' })),
});
export type LoginRequest = Static<typeof loginRequest>;

export const loginReply = Type.Object({ success: Type.Literal(true), message: Type.String() });

/** Repeated or odd values are not refused: the default redirect takes their place. */
export const loginPageQuery = Type.Object({ redirect: Type.Optional(Type.Unknown()) });
