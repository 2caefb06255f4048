import { type Answer, isObject } from './ask.ts';
import { ClientError } from './client-error.ts';
import type { ErrorReply } from './wire.ts';

/** Characters that change a terminal or the direction of reading; no text of authsvc has them. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A field that is a text, safe to print. */
const textIn = (fields: Record<string, unknown>, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value.replace(UNSAFE, '\ufffd') : undefined;
};

/** The refusal that an answer stands for. */
export function refusalOf({ status, fields }: Answer): ClientError {
  const text = (name: keyof ErrorReply) => textIn(fields, name);
  const message = text('message') ?? `The server answered ${status}.`;
  return new ClientError('refused', message, { status, code: text('code'), hint: text('hint') });
}

/**
 * Reads fields of an answer. Each function throws ClientError `unexpected` if the field is not of its type.
 *
 * @param fields an answer whose names are those of `Wire`
 */
export function readerOf<Wire extends object>(fields: Record<string, unknown>) {
  type Name = keyof Wire & string;
  const missing = (name: Name) => new ClientError('unexpected', `The server's answer lacks ${name}.`);
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
    /** Returns undefined where the field is null or absent. */
    instant: (name: Name): Date | undefined => {
      const value = textIn(fields, name);
      if (value !== undefined && Number.isNaN(Date.parse(value))) throw missing(name);
      return value === undefined ? undefined : new Date(value);
    },
  };
}
