import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';

/** What became of a question to the authenticators of this browser. */
export type PasskeyOutcome<Answer = AuthenticationResponseJSON> =
  | { kind: 'answered'; response: Answer }
  /** The person chose none, took too long, or another question has replaced this one. */
  | { kind: 'cancelled' }
  /** The browser cannot use passkeys here. */
  | { kind: 'failed' };

/** Whether this browser knows passkeys. */
export const hasPasskeys = browserSupportsWebAuthn;

/** Whether this browser offers passkeys in the list of a field. */
export const offersPasskeys = browserSupportsWebAuthnAutofill;

function isRequestOptions(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return typeof Reflect.get(Object(value), 'challenge') === 'string';
}

/** Whether a person or another question has ended a question. */
function isCancelled(error: unknown): boolean {
  const isAborted = error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED';
  return isAborted || (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name));
}

/**
 * Asks for a passkey that exists. A later question ends this one.
 *
 * @param options as the service gives them
 * @param place a dialog of the browser, or the list of the field with `autocomplete="… webauthn"`
 */
export async function askForPasskey(options: unknown, place: 'dialog' | 'field'): Promise<PasskeyOutcome> {
  if (!isRequestOptions(options)) return { kind: 'failed' };
  try {
    const useBrowserAutofill = place === 'field';
    return { kind: 'answered', response: await startAuthentication({ optionsJSON: options, useBrowserAutofill }) };
  } catch (error) {
    return { kind: isCancelled(error) ? 'cancelled' : 'failed' };
  }
}

function isCreationOptions(value: unknown): value is PublicKeyCredentialCreationOptionsJSON {
  return isRequestOptions(value) && 'user' in value;
}

/**
 * Asks for a new passkey, in a dialog of the browser.
 *
 * @param options as the service gives them
 */
export async function createPasskey(options: unknown): Promise<PasskeyOutcome<RegistrationResponseJSON>> {
  if (!isCreationOptions(options)) return { kind: 'failed' };
  try {
    return { kind: 'answered', response: await startRegistration({ optionsJSON: options }) };
  } catch (error) {
    return { kind: isCancelled(error) ? 'cancelled' : 'failed' };
  }
}
