import type { Handle } from '../db/handle.ts';
import { AppError, type ErrorParameters } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { parseList } from '../users/user.ts';
import { parseAssertion } from './passkey-answer.ts';
import { type AnsweringBrowser, type ChallengePurpose, consumeChallenge } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';
import { adoptHandle, passkeyByCredential, recordPasskeyUse, storedPasskey } from './passkey-queries.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'baseUrl'>;

/** The response of an authenticator, and the purpose for which its challenge must have been issued. */
export interface PasskeyAnswer {
  /** Untrusted JSON. */
  response: unknown;
  purpose: ChallengePurpose;
  from: AnsweringBrowser;
}

/** A passkey whose response was verified, except that its counter must still be compared with the stored one. */
export interface ProvenPasskey {
  ref: string;
  userId: number;
  counter: number;
  isBackedUp: boolean;
  /** Set at the first use of an imported passkey: the user handle from the response, which must still be stored. */
  newHandle: string | undefined;
  /** The user of the passkey, as read from the database. */
  user: { role: string; allowedApps: string[]; deactivatedAt: number | null };
}

/**
 * Creates the error that all invalid responses get. It is always the same, so that it does not reveal whether a
 * passkey or a user exists.
 */
const refusal = (parameters: ErrorParameters = {}): AppError => new AppError('PASSKEY_REFUSED', parameters);

/**
 * Verifies the response of an authenticator. The challenge is consumed even if the response is invalid.
 *
 * @throws AppError PASSKEY_REFUSED for every invalid response; NOT_FOUND while passkeys are off
 * @see Web Authentication Level 3 §7.2; OWASP ASVS 5.0 6.3.8
 */
export async function provePasskey(
  services: Needs,
  { response, purpose, from }: PasskeyAnswer,
): Promise<ProvenPasskey> {
  const { database, clock } = services;
  const party = requireParty(services);
  const assertion = parseAssertion(response);
  if (!assertion) throw refusal();
  const { challenge, credentialId } = assertion;
  const isExpected = await consumeChallenge(database, { challenge, purpose, from, now: clock.now() });
  const row = await passkeyByCredential.first(database, { credentialId });
  if (!row) throw refusal();
  const { ref, user_id: userId } = row;
  // The user handle of an imported passkey is unknown until its first use. It is then taken from the response, and
  // the signature proves that the response is genuine.
  const newHandle = row.handle === '' ? assertion.userHandle : undefined;
  if (!isExpected || (newHandle ?? row.handle) !== assertion.userHandle || row.rp_id !== party.rpId)
    throw refusal({ userId });
  const { verifyAssertion } = await import('./webauthn.ts');
  const verified = await verifyAssertion(party, assertion, row.public_key).catch((cause: unknown) => {
    throw refusal({ userId, cause });
  });
  const { role, deactivated_at: deactivatedAt } = row;
  return {
    ref,
    userId,
    ...verified,
    newHandle,
    user: { role, allowedApps: parseList(row.allowed_apps), deactivatedAt },
  };
}

/**
 * Records the use of a verified passkey. Call it in the same transaction as the action that the passkey authorizes.
 *
 * @param tx open transaction that has locked the user's row
 * @throws AppError PASSKEY_REFUSED if the passkey was removed meanwhile; with the reason `counter` if its counter
 * did not increase, unless both counters are 0
 * @see Web Authentication Level 3 §6.1.1
 */
export async function usePasskey(
  tx: Handle,
  { ref, userId, counter, isBackedUp, newHandle }: ProvenPasskey,
  now: number,
): Promise<void> {
  if ((await recordPasskeyUse.run(tx, { ref, counter, backedUp: isBackedUp ? 1 : 0, now })) > 0) {
    if (newHandle !== undefined) await adoptHandle.run(tx, { ref, handle: newHandle });
    return;
  }
  const isCopied = (await storedPasskey.first(tx, { ref })) !== undefined;
  throw refusal(isCopied ? { userId, reason: 'counter' } : { userId });
}
