import type { Caller } from '../api-tokens/caller.ts';

/** Headers contain bytes, so UTF-8 is written as one character per byte. */
const asBytes = (text: string): string => Buffer.from(text.replace(/\p{Cc}/gu, '')).toString('latin1');

/** The headers with the identity of a caller. Every header is always set, so that none of the visitor's own passes. */
export const identityHeaders = (caller: Caller, email: string): Record<string, string> => ({
  'remote-user': asBytes(caller.username),
  'remote-name': asBytes(caller.fullName),
  'remote-groups': asBytes(caller.role),
  'remote-email': asBytes(email),
  'remote-user-id': String(caller.userId),
  'x-authsvc-expires': caller.expiresAt === null ? '' : new Date(caller.expiresAt).toISOString(),
});
