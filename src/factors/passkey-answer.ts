/** A credential id in base64url. It has at most 1023 bytes (Web Authentication Level 3 §7.1). */
const CREDENTIAL_ID = /^[\w-]{1,1364}$/;

/** The part of the client data that is needed before the signature is verified. */
interface ClientData {
  challenge: string;
}

/** The response of an authenticator to a sign-in or a confirmation. Parsed, but not verified. */
export interface Assertion {
  /** In base64url. */
  credentialId: string;
  challenge: string;
  userHandle: string;
  rawId: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
}

/** Returns a field of untrusted JSON if it is a string. */
function textOf(value: unknown, field: string): string | undefined {
  const text: unknown = Reflect.get(Object(value), field);
  return typeof text === 'string' ? text : undefined;
}

/**
 * Reads the challenge from the client data. Rejects a response from a page inside a frame of another origin, because no
 * other origin may show pages of this service in a frame.
 */
function parseClientData(encoded: string): ClientData | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    const challenge = textOf(data, 'challenge');
    const isEmbedded = Reflect.get(Object(data), 'crossOrigin') === true;
    return challenge === undefined || challenge === '' || isEmbedded ? undefined : { challenge };
  } catch {
    return undefined;
  }
}

/**
 * Parses the response of an authenticator to a sign-in or a confirmation.
 *
 * @param response untrusted value; should be an AuthenticationResponseJSON (Web Authentication Level 3 §5.1)
 * @returns undefined if it has another format
 */
export function parseAssertion(response: unknown): Assertion | undefined {
  const inner: unknown = Reflect.get(Object(response), 'response');
  const [credentialId, rawId] = [textOf(response, 'id'), textOf(response, 'rawId')];
  const [clientDataJSON, authenticatorData] = [textOf(inner, 'clientDataJSON'), textOf(inner, 'authenticatorData')];
  const [signature, userHandle] = [textOf(inner, 'signature'), textOf(inner, 'userHandle')];
  if (credentialId === undefined || rawId === undefined || !CREDENTIAL_ID.test(credentialId)) return undefined;
  if (clientDataJSON === undefined || authenticatorData === undefined) return undefined;
  if (signature === undefined || userHandle === undefined || textOf(response, 'type') !== 'public-key')
    return undefined;
  const data = parseClientData(clientDataJSON);
  return data && { credentialId, rawId, clientDataJSON, authenticatorData, signature, userHandle, ...data };
}

/** The response of an authenticator that created a key. Parsed, but not verified. */
export interface Registration {
  credentialId: string;
  rawId: string;
  challenge: string;
  clientDataJSON: string;
  attestationObject: string;
  /** The ways in which browsers can reach the authenticator. */
  transports: Transport[];
}

/**
 * All values of AuthenticatorTransport, and `cable`, which older browsers send.
 * @see Web Authentication Level 3 §5.8.4
 */
const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal', 'cable'] as const;
type Transport = (typeof TRANSPORTS)[number];

/** Returns the known transports in a list. Ignores any other value. */
const knownTransports = (list: unknown): Transport[] =>
  TRANSPORTS.filter((transport) => Array.isArray(list) && list.includes(transport));

/** A passkey in the options for an authenticator (PublicKeyCredentialDescriptorJSON). */
export interface CredentialDescriptor {
  type: 'public-key';
  id: string;
  transports: string[];
}

/** Converts stored passkeys for the options of an authenticator. */
export const describeCredentials = (
  passkeys: readonly { credential_id: string; transports: string }[],
): CredentialDescriptor[] =>
  passkeys.map(({ credential_id: id, transports }) => ({
    type: 'public-key',
    id,
    transports: knownTransports(JSON.parse(transports)),
  }));

/**
 * Parses the response of an authenticator that created a key.
 *
 * @param response untrusted value; should be a RegistrationResponseJSON (Web Authentication Level 3 §5.1)
 * @returns undefined if it has another format
 */
export function parseRegistration(response: unknown): Registration | undefined {
  const inner: unknown = Reflect.get(Object(response), 'response');
  const [credentialId, rawId] = [textOf(response, 'id'), textOf(response, 'rawId')];
  const [clientDataJSON, attestationObject] = [textOf(inner, 'clientDataJSON'), textOf(inner, 'attestationObject')];
  if (credentialId === undefined || rawId === undefined || !CREDENTIAL_ID.test(credentialId)) return undefined;
  if (clientDataJSON === undefined || attestationObject === undefined) return undefined;
  const data = textOf(response, 'type') === 'public-key' ? parseClientData(clientDataJSON) : undefined;
  const transports = knownTransports(Reflect.get(Object(inner), 'transports'));
  return data && { credentialId, rawId, clientDataJSON, attestationObject, transports, ...data };
}
