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

/** The outcome of a passkey request to the browser. */
export type PasskeyOutcome<Answer = AuthenticationResponseJSON> =
  | { kind: 'answered'; response: Answer }
  /** The person chose no passkey or took too long, or a later request has replaced this one. */
  | { kind: 'cancelled' }
  /** The browser cannot use passkeys on this page. */
  | { kind: 'failed' };

/** Returns whether this browser supports passkeys. */
export const hasPasskeys = browserSupportsWebAuthn;

/** Returns whether this browser can suggest passkeys in the list of a field. */
export const offersPasskeys = browserSupportsWebAuthnAutofill;

function isRequestOptions(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return typeof Reflect.get(Object(value), 'challenge') === 'string';
}

/** Returns whether an error means that the person, or a later request, has cancelled a request. */
function isCancelled(error: unknown): boolean {
  const isAborted = error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED';
  return isAborted || (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name));
}

/**
 * Asks the browser for an existing passkey. A later request cancels this one.
 *
 * @param options as the service sends them
 * @param place `dialog`: in a dialog of the browser; `field`: in the list of the field with `autocomplete="… webauthn"`
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
 * Asks the browser to create a passkey, in a dialog of the browser.
 *
 * @param options as the service sends them
 */
export async function createPasskey(options: unknown): Promise<PasskeyOutcome<RegistrationResponseJSON>> {
  if (!isCreationOptions(options)) return { kind: 'failed' };
  try {
    return { kind: 'answered', response: await startRegistration({ optionsJSON: options }) };
  } catch (error) {
    return { kind: isCancelled(error) ? 'cancelled' : 'failed' };
  }
}
