import { type Static, Type } from 'typebox';

/** Accepts repeated and invalid values. An invalid redirect is replaced by the default. */
export const startQuery = Type.Object({ redirect: Type.Optional(Type.Unknown()) });
export type StartQuery = Static<typeof startQuery>;

/** The query of a provider's callback (RFC 6749 §4.1.2, RFC 9207 §2). A repeated parameter counts as missing. */
export const callbackQuery = Type.Object({
  code: Type.Optional(Type.Unknown()),
  state: Type.Optional(Type.Unknown()),
  iss: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
  error_description: Type.Optional(Type.Unknown()),
});
export type CallbackQuery = Static<typeof callbackQuery>;

const MAX_LENGTH = 4096;

/** Returns the text of a query parameter; undefined if it is missing, empty, repeated or too long. */
export const parseParameter = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? value : undefined;
