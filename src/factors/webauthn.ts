import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { KEY_ALGORITHMS } from './offer-passkey.ts';
import type { Assertion, Registration } from './passkey-answer.ts';

/** Import this file only with `await import`, because the library is large and few processes need it. */

/** The relying party of this service for WebAuthn. */
export interface RelyingParty {
  /** The host name that passkeys are bound to. */
  rpId: string;
  /** The only origin whose responses are accepted. */
  origin: string;
}

/** The counter and the backup state of a passkey, from a verified response. */
export interface VerifiedAssertion {
  counter: number;
  isBackedUp: boolean;
}

/**
 * Verifies the response to a sign-in or a confirmation: type, challenge, origin, RP id, user presence, user
 * verification and signature. The caller must compare the counter.
 *
 * @param publicKey COSE key in base64url
 * @throws Error with a message that says what is wrong
 * @see Web Authentication Level 3 §7.2
 */
export async function verifyAssertion(
  { rpId, origin }: RelyingParty,
  assertion: Assertion,
  publicKey: string,
): Promise<VerifiedAssertion> {
  const { credentialId, rawId, challenge, clientDataJSON, authenticatorData, signature, userHandle } = assertion;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id: credentialId,
      rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature, userHandle },
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
  });
  if (!verified) throw new Error('the signature is wrong');
  return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
}

/** A verified key that an authenticator has created. */
export interface VerifiedRegistration {
  /** In base64url, read from the authenticator data. */
  credentialId: string;
  /** COSE key in base64url. */
  publicKey: string;
  counter: number;
  isBackedUp: boolean;
  /** The id of the authenticator's model. */
  aaguid: string;
}

/**
 * Verifies the response of an authenticator that created a key: type, challenge, origin, RP id, algorithm, user
 * presence and user verification.
 *
 * @throws Error with a message that says what is wrong
 * @see Web Authentication Level 3 §7.1
 */
export async function verifyRegistration(
  { rpId, origin }: RelyingParty,
  registration: Registration,
): Promise<VerifiedRegistration> {
  const { credentialId, rawId, challenge, clientDataJSON, attestationObject, transports } = registration;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id: credentialId,
      rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject, transports },
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...KEY_ALGORITHMS],
  });
  if (!verified) throw new Error('the attestation is wrong');
  const { credential, credentialBackedUp: isBackedUp, aaguid } = registrationInfo;
  if (credential.id !== credentialId) throw new Error('the authenticator names another credential');
  const publicKey = Buffer.from(credential.publicKey).toString('base64url');
  return { credentialId, publicKey, counter: credential.counter, isBackedUp, aaguid };
}
