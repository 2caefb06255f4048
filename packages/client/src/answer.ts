import type { Answer } from './ask.ts';
import { ClientError } from './client-error.ts';
import { isObject } from './json-object.ts';
import type { ErrorReply } from './wire.ts';

/** Characters that control a terminal or reverse the reading direction. authsvc never sends them; another server might. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Returns a string field with unsafe characters replaced, or undefined if the field is not a string. */
const textIn = (fields: Record<string, unknown>, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value.replace(UNSAFE, '\ufffd') : undefined;
};

/** Returns the ClientError for an error reply. */
export function refusalOf({ status, fields }: Answer): ClientError {
  const text = (name: keyof ErrorReply) => textIn(fields, name);
  const message = text('message') ?? `The server answered ${status}.`;
  return new ClientError('refused', message, { status, code: text('code'), hint: text('hint') });
}

/**
 * Returns functions that each read one field of a reply. Each function throws ClientError `unexpected` if the field does
 * not have the function's type.
 *
 * @typeParam Wire the type of the reply in wire.ts, which limits the field names
 * @param fields the JSON object of the reply
 */
export function readerOf<Wire extends object>(fields: Record<string, unknown>) {
  type Name = keyof Wire & string;
  const missing = (name: Name) => new ClientError('unexpected', `The server's reply has no valid field ${name}.`);
  return {
    text: (name: Name): string => {
      const value = textIn(fields, name);
      if (value === undefined) throw missing(name);
      return value;
    },
    number: (name: Name): number => {
      const value = fields[name];
      if (typeof value !== 'number') throw missing(name);
      return value;
    },
    list: (name: Name): string[] => {
      const value = fields[name];
      if (!Array.isArray(value)) throw missing(name);
      return value.filter((item) => typeof item === 'string');
    },
    fields: (name: Name): Record<string, unknown> => {
      const value = fields[name];
      if (!isObject(value)) throw missing(name);
      return value;
    },
    /** Returns undefined if the field is null or absent. */
    instant: (name: Name): Date | undefined => {
      const value = textIn(fields, name);
      if (value !== undefined && Number.isNaN(Date.parse(value))) throw missing(name);
      return value === undefined ? undefined : new Date(value);
    },
  };
}
