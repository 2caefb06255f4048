/** The longest id that an authenticator may choose has 1023 bytes (Web Authentication Level 3 §7.1). */
const CREDENTIAL_ID = /^[\w-]{1,1364}$/;

/** The part of the browser's data that is needed before the signature is checked. */
interface ClientData {
  challenge: string;
}

/** The answer of an authenticator that has the key. Unverified. */
export interface Assertion {
  /** Base64url. */
  credentialId: string;
  challenge: string;
  userHandle: string;
  rawId: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
}

/** A field of untrusted JSON, if it is a text. */
function textOf(value: unknown, field: string): string | undefined {
  const text: unknown = Reflect.get(Object(value), field);
  return typeof text === 'string' ? text : undefined;
}

/** Reads the challenge from the browser's data. Pages of this service are never inside a page of another origin. */
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
 * Parses an answer to a sign-in or a confirmation.
 *
 * @param response AuthenticationResponseJSON of Web Authentication Level 3 §5.1; anything
 * @returns undefined if it cannot be such an answer
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

/** The answer of an authenticator that has created a key. Unverified. */
export interface Registration {
  credentialId: string;
  rawId: string;
  challenge: string;
  clientDataJSON: string;
  attestationObject: string;
  /** How browsers reach the authenticator. */
  transports: Transport[];
}

/** Web Authentication Level 3 §5.8.4 */
const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal', 'cable'] as const;
type Transport = (typeof TRANSPORTS)[number];

/** The transports that an answer or a row lists. */
const knownTransports = (list: unknown): Transport[] =>
  TRANSPORTS.filter((transport) => Array.isArray(list) && list.includes(transport));

/** A passkey as options name it (PublicKeyCredentialDescriptorJSON). */
export interface CredentialDescriptor {
  type: 'public-key';
  id: string;
  transports: string[];
}

/** Names passkeys for the options of a question. */
export const describeCredentials = (
  passkeys: readonly { credential_id: string; transports: string }[],
): CredentialDescriptor[] =>
  passkeys.map(({ credential_id: id, transports }) => ({
    type: 'public-key',
    id,
    transports: knownTransports(JSON.parse(transports)),
  }));

/**
 * Parses the answer of an authenticator that has created a key.
 *
 * @param response RegistrationResponseJSON of Web Authentication Level 3 §5.1; anything
 * @returns undefined if it cannot be such an answer
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
