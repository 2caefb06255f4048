import type { Guard } from '../http/guard.ts';
import { requireParty } from './passkey-party.ts';

/** While passkeys are off, the addresses that are about them do not exist. */
export const requirePasskeys: Guard = {
  name: 'passkeys are on',
  errors: ['NOT_FOUND'],
  check: ({ services }) => {
    requireParty(services);
    return undefined;
  },
};
