import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Services } from '../http/route.ts';
import { newRef } from '../lib/random.ts';
import { requirePlainText } from '../users/fields.ts';
import type { User } from '../users/user.ts';
import { authenticatorName } from './authenticator-names.ts';
import { parseRegistration } from './passkey-answer.ts';
import { type AnsweringBrowser, type ChallengePurpose, consumeChallenge } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';
import { insertPasskey, passkeysOfUser } from './passkey-queries.ts';
import { type PasskeyJson, toPasskeyJson } from './passkey-schemas.ts';

/** Maximum number of passkeys per user. */
export const MAX_PASSKEYS = 20;
const MAX_NAME = 64;

/** A new passkey that is verified but not yet stored for a user. */
export interface NewPasskey {
  credentialId: string;
  publicKey: string;
  counter: number;
  isBackedUp: boolean;
  aaguid: string;
  /** A JSON list of transports, such as `["usb","nfc"]`. */
  transports: string;
  rpId: string;
}

/**
 * Parses the name of a passkey.
 *
 * @throws AppError FIELD_INVALID
 */
export function parsePasskeyName(text: string): string {
  const name = requirePlainText(text, 'name', MAX_NAME);
  if (name === '') throw new AppError('FIELD_INVALID', { field: 'name', maximum: MAX_NAME });
  return name;
}

/**
 * Verifies the response of an authenticator that created a passkey. The challenge is consumed even if the response
 * is invalid.
 *
 * @param response untrusted JSON
 * @throws AppError PASSKEY_INVALID for every invalid response; NOT_FOUND while passkeys are off
 * @see Web Authentication Level 3 §7.1
 */
export async function verifyNewPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings' | 'baseUrl'>,
  { response, purpose, from }: { response: unknown; purpose: ChallengePurpose; from: AnsweringBrowser },
): Promise<NewPasskey> {
  const party = requireParty(services);
  const refusal = (cause?: unknown) => new AppError('PASSKEY_INVALID', { field: 'response', cause });
  const registration = parseRegistration(response);
  if (!registration) throw refusal();
  const { challenge } = registration;
  const now = services.clock.now();
  if (!(await consumeChallenge(services.database, { challenge, purpose, from, now }))) throw refusal();
  const { verifyRegistration } = await import('./webauthn.ts');
  const verified = await verifyRegistration(party, registration).catch((cause: unknown) => {
    throw refusal(cause);
  });
  return { ...verified, transports: JSON.stringify(registration.transports), rpId: party.rpId };
}

interface Addition {
  user: Pick<User, 'id' | 'username'>;
  passkey: NewPasskey;
  /** A name from `parsePasskeyName`. If undefined, the passkey is named after the model of its authenticator. */
  name: string | undefined;
  /**
   * The kind of the link, if the user adds the passkey through a link. The passkey then replaces the password, and the
   * event ends the same sessions and grants as a change of the password.
   */
  way?: 'invite' | 'reset';
}

/**
 * Stores a new passkey for a user.
 *
 * @param tx open transaction that has locked the user's row
 * @throws AppError PASSKEY_TAKEN if any user already has a passkey with this credential id; LIMIT_REACHED if the
 * user already has 20
 */
export async function addPasskey(
  tx: Transaction,
  { actor, now }: { actor: Actor; now: number },
  { user, passkey, name = authenticatorName(passkey.aaguid), way }: Addition,
): Promise<PasskeyJson> {
  const { isBackedUp, ...facts } = passkey;
  const former = await passkeysOfUser.all(tx, { userId: user.id });
  if (former.length >= MAX_PASSKEYS) throw new AppError('LIMIT_REACHED', { maximum: MAX_PASSKEYS });
  const row = { ...facts, ref: newRef(), userId: user.id, name, backedUp: isBackedUp ? 1 : 0, now };
  if ((await insertPasskey.run(tx, row)) === 0) throw new AppError('PASSKEY_TAKEN');
  const details = { kind: 'passkey', change: 'added', passkey_ref: row.ref, ...(way ? { way } : {}) } as const;
  await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
  return toPasskeyJson({ ...row, created_at: now, last_used_at: null, backed_up: row.backedUp });
}
