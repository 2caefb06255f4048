import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { cose, isoCBOR } from '@simplewebauthn/server/helpers';
import { addPasskey, parsePasskeyName, verifyNewPasskey } from '../../src/factors/add-passkey.ts';
import { offerPasskey } from '../../src/factors/offer-passkey.ts';
import type { PasskeyJson } from '../../src/factors/passkey-schemas.ts';
import type { User } from '../../src/users/user.ts';
import type { Client, Reply, RequestOptions } from './client.ts';
import type { TestApp } from './start-app.ts';

export type KeyKind = 'ES256' | 'EdDSA' | 'RS256';

/** False values for parts of an answer. A part that is missing here is answered correctly. */
export interface Lies {
  type?: string;
  origin?: string;
  challenge?: string;
  crossOrigin?: boolean;
  rpId?: string;
  isPresent?: boolean;
  isVerified?: boolean;
  counter?: number;
  credentialId?: string;
  userHandle?: string | undefined;
  key?: KeyObject;
}

interface Credential {
  id: string;
  kind: KeyKind;
  key: KeyObject;
  userHandle: string;
}

const FLAGS = { present: 0x01, verified: 0x04, mayBeBackedUp: 0x08, isBackedUp: 0x10, hasCredential: 0x40 };
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url');
const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'));

/** Creates a key pair. Returns the private key, and the public key in COSE format. */
function makeKey(kind: KeyKind): { key: KeyObject; publicKey: Uint8Array } {
  const { COSEKEYS, COSEKTY, COSEALG, COSECRV } = cose;
  if (kind === 'ES256') {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const fields = new Map<number, number | Uint8Array>([
      [COSEKEYS.kty, COSEKTY.EC2],
      [COSEKEYS.alg, COSEALG.ES256],
      [COSEKEYS.crv, COSECRV.P256],
      [COSEKEYS.x, bytes(x)],
      [COSEKEYS.y, bytes(y)],
    ]);
    return { key: privateKey, publicKey: isoCBOR.encode(fields) };
  }
  if (kind === 'EdDSA') {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x } = publicKey.export({ format: 'jwk' });
    const fields = new Map<number, number | Uint8Array>([
      [COSEKEYS.kty, COSEKTY.OKP],
      [COSEKEYS.alg, COSEALG.EdDSA],
      [COSEKEYS.crv, COSECRV.ED25519],
      [COSEKEYS.x, bytes(x)],
    ]);
    return { key: privateKey, publicKey: isoCBOR.encode(fields) };
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: 'jwk' });
  const fields = new Map<number, number | Uint8Array>([
    [COSEKEYS.kty, COSEKTY.RSA],
    [COSEKEYS.alg, COSEALG.RS256],
    [COSEKEYS.n, bytes(n)],
    [COSEKEYS.e, bytes(e)],
  ]);
  return { key: privateKey, publicKey: isoCBOR.encode(fields) };
}

interface Options {
  kind?: KeyKind;
  /** Whether the passkey is synced to other devices. Such an authenticator always reports a counter of 0. */
  isSynced?: boolean;
  aaguid?: string;
}

/** A software authenticator together with the browser that talks to it. */
export class Authenticator {
  readonly credentials: Credential[] = [];
  counter = 0;
  readonly #origin: string;
  readonly #options: Options;

  constructor(origin: string, options: Options = {}) {
    this.#origin = origin;
    this.#options = options;
  }

  #clientData(type: string, challenge: string, lies: Lies): Buffer {
    const data = { type, challenge, origin: this.#origin, crossOrigin: false };
    const { crossOrigin, ...said } = lies;
    const told = { type: said.type, challenge: said.challenge, origin: said.origin, crossOrigin };
    const changed = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
    return Buffer.from(JSON.stringify({ ...data, ...changed }));
  }

  #authenticatorData(lies: Lies, credential: Uint8Array = new Uint8Array()): Buffer {
    const { rpId = new URL(this.#origin).hostname, isPresent = true, isVerified = true } = lies;
    const flags =
      (isPresent ? FLAGS.present : 0) |
      (isVerified ? FLAGS.verified : 0) |
      (this.#options.isSynced ? FLAGS.mayBeBackedUp | FLAGS.isBackedUp : 0) |
      (credential.length > 0 ? FLAGS.hasCredential : 0);
    if (!this.#options.isSynced) this.counter += 1;
    const tail = Buffer.alloc(5);
    tail[0] = flags;
    tail.writeUInt32BE(lies.counter ?? this.counter, 1);
    return Buffer.concat([sha256(rpId), tail, credential]);
  }

  /** Does what `navigator.credentials.create` does, and returns RegistrationResponseJSON. */
  create(options: { challenge: string; user: { id: string } }, lies: Lies = {}): Record<string, unknown> {
    const { kind = 'ES256', aaguid = '00000000-0000-0000-0000-000000000000' } = this.#options;
    const id = bytes(lies.credentialId ?? base64url(randomBytes(32)));
    const { key, publicKey } = makeKey(kind);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const model = Buffer.from(aaguid.replaceAll('-', ''), 'hex');
    const authData = this.#authenticatorData(lies, Buffer.concat([model, length, id, publicKey]));
    this.credentials.push({ id: base64url(id), kind, key, userHandle: options.user.id });
    const attestation = new Map<string, string | Map<string, string> | Uint8Array>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', new Uint8Array(authData)],
    ]);
    return {
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(this.#clientData('webauthn.create', options.challenge, lies)),
        attestationObject: base64url(isoCBOR.encode(attestation)),
        transports: ['internal', 'nonsense'],
      },
    };
  }

  /** Does what `navigator.credentials.get` does with the newest credential, and returns AuthenticationResponseJSON. */
  get(options: { challenge: string }, lies: Lies = {}): Record<string, unknown> {
    const credential = this.credentials.at(-1);
    if (!credential) throw new Error('the authenticator has no credential');
    const clientData = this.#clientData('webauthn.get', options.challenge, lies);
    const authenticatorData = this.#authenticatorData(lies);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    const signature = sign(credential.kind === 'EdDSA' ? null : 'sha256', signed, lies.key ?? credential.key);
    const id = lies.credentialId ?? credential.id;
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signature),
        userHandle: 'userHandle' in lies ? lies.userHandle : credential.userHandle,
      },
    };
  }
}

/** Creates an authenticator in a browser at the service's own origin. */
export const authenticatorFor = ({ services }: TestApp, options?: Options): Authenticator =>
  new Authenticator(services.baseUrl(), options);

/** Adds a passkey to a user by calling the same rules as the routes. */
export async function seedPasskey(
  app: TestApp,
  user: User,
  authenticator: Authenticator,
  { name: typed, ...lies }: Lies & { name?: string } = {},
): Promise<PasskeyJson> {
  const { services } = app;
  const browser = randomBytes(16).toString('hex');
  const holder = { browser, sessionId: undefined };
  const options = await offerPasskey(services, user, { holder, purpose: 'registration' });
  const from = { browsers: [browser], sessionId: undefined };
  const response = authenticator.create(options, lies);
  const name = typed === undefined ? undefined : parsePasskeyName(typed);
  const passkey = await verifyNewPasskey(services, { response, purpose: 'registration', from });
  return services.database.transaction((tx) => addPasskey(tx, app.change(), { user, passkey, name }));
}

/** Creates a user with a passkey. */
export async function seedPasskeyUser(app: TestApp, options?: Options) {
  const user = await app.seedUser();
  const authenticator = authenticatorFor(app, options);
  return { user, authenticator, passkey: await seedPasskey(app, user, authenticator) };
}

/** Requests the options of a sign-in by passkey. */
export async function signInOptions(client: Client): Promise<{ challenge: string }> {
  const { status, body, text } = await client.post('/authsvc/api/passkey/options', {});
  const challenge: unknown = Reflect.get(Object(body.options), 'challenge');
  if (status !== 200 || typeof challenge !== 'string') throw new Error(`no options: ${text}`);
  return { ...Object(body.options), challenge };
}

/** Signs in by passkey. */
export async function passkeySignIn(
  client: Client,
  authenticator: Authenticator,
  lies: Lies = {},
  { redirect, ...request }: RequestOptions & { redirect?: unknown } = {},
): Promise<Reply> {
  const response = authenticator.get(await signInOptions(client), lies);
  return client.post('/authsvc/api/passkey', { response, ...(redirect === undefined ? {} : { redirect }) }, request);
}
