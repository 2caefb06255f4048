import type { Caller } from '../api-tokens/caller.ts';

const ASCII = /^[ -~]*$/;

/**
 * Node.js writes a header as one byte per character. To send UTF-8, this function returns one character per UTF-8
 * byte.
 */
const asBytes = (text: string): string =>
  ASCII.test(text) ? text : Buffer.from(text.replace(/\p{Cc}/gu, '')).toString('latin1');

/**
 * Returns the headers with the identity of a caller. Every header is set even if it is empty, so that it replaces a
 * header of the same name that the client sent.
 */
export const identityHeaders = (caller: Caller, email: string): Record<string, string> => ({
  'remote-user': asBytes(caller.username),
  'remote-name': asBytes(caller.fullName),
  'remote-groups': asBytes(caller.role),
  'remote-email': asBytes(email),
  'remote-user-id': String(caller.userId),
  'x-authsvc-expires': caller.expiresAt === null ? '' : new Date(caller.expiresAt).toISOString(),
});
