import type { Caller } from '../api-tokens/caller.ts';

/** Headers carry bytes: UTF-8, one character for each. */
const asBytes = (text: string): string => Buffer.from(text.replace(/\p{Cc}/gu, '')).toString('latin1');

/** What the application learns of a caller. Every header is always set, so that none of the visitor's passes through. */
export const identityHeaders = (caller: Caller, email: string): Record<string, string> => ({
  'remote-user': asBytes(caller.username),
  'remote-name': asBytes(caller.fullName),
  'remote-groups': asBytes(caller.role),
  'remote-email': asBytes(email),
  'remote-user-id': String(caller.userId),
  'x-authsvc-expires': caller.expiresAt === null ? '' : new Date(caller.expiresAt).toISOString(),
});
