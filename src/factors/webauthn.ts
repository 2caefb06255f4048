import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { KEY_ALGORITHMS } from './offer-passkey.ts';
import type { Assertion, Registration } from './passkey-answer.ts';

/** Loaded only with `await import`, because the library is large and few processes need it. */

/** The relying party for requests to authenticators. */
export interface RelyingParty {
  /** The host name that passkeys are bound to. */
  rpId: string;
  /** The only accepted origin of answers. */
  origin: string;
}

/** What a verified answer says about the authenticator. */
export interface VerifiedAssertion {
  counter: number;
  isBackedUp: boolean;
}

/**
 * Verifies type, challenge, origin, RP id, presence and verification of the user, and the signature of an answer. The
 * caller checks the counter afterwards.
 *
 * @param publicKey COSE key, base64url
 * @throws Error that says what is wrong
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

/** A key that an authenticator has created. */
export interface VerifiedRegistration {
  /** Base64url, from the authenticator itself. */
  credentialId: string;
  /** COSE key, base64url. */
  publicKey: string;
  counter: number;
  isBackedUp: boolean;
  /** The model of the authenticator. */
  aaguid: string;
}

/**
 * Verifies type, challenge, origin, RP id, algorithm, and presence and verification of the user.
 *
 * @throws Error that says what is wrong
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
