import type { Handle } from '../db/handle.ts';
import { AppError, type ErrorParameters } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { parseList } from '../users/user.ts';
import { parseAssertion } from './passkey-answer.ts';
import { type AnsweringBrowser, type ChallengePurpose, consumeChallenge } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';
import { adoptHandle, passkeyByCredential, recordPasskeyUse, storedPasskey } from './passkey-queries.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'baseUrl'>;

/** The answer of an authenticator, and what it is to prove. */
export interface PasskeyAnswer {
  /** Untrusted JSON. */
  response: unknown;
  purpose: ChallengePurpose;
  from: AnsweringBrowser;
}

/** A passkey whose answer is right, but for its counter. */
export interface ProvenPasskey {
  ref: string;
  userId: number;
  counter: number;
  isBackedUp: boolean;
  /** By what its authenticator knows the user, if that was not known yet. */
  newHandle: string | undefined;
  /** Its user, as the database had it. */
  user: { role: string; allowedApps: string[]; deactivatedAt: number | null };
}

/** One refusal for all that can be wrong, so that it tells nothing about passkeys or users. */
const refusal = (parameters: ErrorParameters = {}): AppError => new AppError('PASSKEY_REFUSED', parameters);

/**
 * Verifies the answer of an authenticator. Its challenge is used up, right or wrong.
 *
 * @throws AppError PASSKEY_REFUSED, whatever is wrong; NOT_FOUND while passkeys are off
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
  // The first use of an imported passkey says by what its authenticator knows the user; the signature proves the rest.
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
 * Notes the use of a proven passkey, in the transaction of what it is used for.
 *
 * @param tx open transaction that holds the user's row
 * @throws AppError PASSKEY_REFUSED if the passkey was removed meanwhile, or, with the reason `counter`, if its counter
 *   does not grow
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
