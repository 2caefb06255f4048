import { type TokenScope, tokenScopes } from '../api-tokens/token.ts';
import { MAX_PASSKEYS, parsePasskeyName } from '../factors/add-passkey.ts';
import { authenticatorName } from '../factors/authenticator-names.ts';
import { isCoseKey } from '../factors/cose-key.ts';
import type { Email } from '../lib/email-address.ts';
import { formatForeignHash } from '../lib/foreign-hash.ts';
import { parseForeignHash } from '../lib/parse-foreign-hash.ts';
import { cleanText } from '../lib/plain-text.ts';
import { parseTotpSecret } from '../lib/totp.ts';
import { parseAccountId } from '../social/account-id.ts';
import { requireNewName } from '../users/add-user.ts';
import { requireEmail } from '../users/email.ts';
import { parseAppNames, parseFullName, parseImage, parseRole } from '../users/fields.ts';
import type { Username } from '../users/username.ts';
import { invalid, LineRefusal, SHA256_FORM, toLineRefusal } from './line-refusal.ts';
import type { RecordReader } from './record-reader.ts';

export interface ImportedToken {
  name: string;
  tokenHash: string;
  prefix: string;
  scope: TokenScope;
  /** Null if the token is valid for every application of the user. */
  apps: string[] | null;
  createdAt: number | undefined;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export interface ImportedPasskey {
  credentialId: string;
  publicKey: string;
  counter: number;
  name: string;
  transports: readonly string[];
  createdAt: number | undefined;
}

export interface ImportedLink {
  provider: string;
  accountId: string;
}

/** A password hash of another system. */
export interface ImportedPassword {
  scheme: string;
  /** The hash in its canonical form, from `formatForeignHash`. */
  text: string;
}

/** A user of an import. Fields that the record does not contain are undefined. */
export interface UserRecord {
  type: 'user';
  username: Username;
  fullName: string | undefined;
  image: string | undefined;
  role: string | undefined;
  apps: string[] | undefined;
  isActive: boolean | undefined;
  /** The confirmed e-mail address; null if the user has none. */
  email: Email | null | undefined;
  /** An e-mail address that its owner has not confirmed; undefined if there is none. */
  emailPending: Email | undefined;
  createdAt: number | undefined;
  lastLoginAt: number | null | undefined;
  password: ImportedPassword | undefined;
  totpSecret: string | undefined;
  links: readonly ImportedLink[];
  tokens: readonly ImportedToken[];
  passkeys: readonly ImportedPasskey[];
}

/** The settings that decide which values are allowed. */
export interface UserRules {
  /** The value of the setting ROLES. */
  roles: readonly string[];
  /** The names of the providers that links may belong to. */
  providers: readonly string[];
}

/** Reads a field with a rule of the service. If the rule refuses the value, throws LineRefusal for this field. */
function by<Value>(field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const { code, message } = toLineRefusal(error, field);
    throw new LineRefusal(code, field, message);
  }
}

function readPassword(reader: RecordReader): ImportedPassword | undefined {
  const given = reader.raw('password_hash');
  if (given === undefined || given === null) return undefined;
  const hash = by('password_hash', () => parseForeignHash(given));
  return { scheme: hash.scheme, text: formatForeignHash(hash) };
}

function readTotpSecret(reader: RecordReader): string | undefined {
  const text = reader.textOrNull('totp_secret');
  if (text === undefined || text === null) return undefined;
  const secret = parseTotpSecret(text);
  if (secret === undefined) throw reader.refusal('totp_secret', 'must be base32 of 10 to 80 bytes');
  return secret;
}

function readLinks(reader: RecordReader, { providers }: UserRules): ImportedLink[] {
  const links = reader.object('links');
  return (links?.names() ?? []).map((provider) => {
    if (!providers.includes(provider))
      throw invalid('links', `The field links can only have links to ${providers.join(', ')}.`);
    const id = parseAccountId(links?.raw(provider));
    if (!id.isUsable) throw invalid('links', `The account id of ${provider} is ${id.problem}.`);
    return { provider, accountId: id.text };
  });
}

const MAX_NAME = 255;
const MAX_PREFIX = 32;

function readToken(reader: RecordReader): ImportedToken {
  const name = cleanText(reader.requiredText('name'));
  const tokenHash = reader.requiredText('token_hash').toLowerCase();
  const prefix = cleanText(reader.text('prefix') ?? '');
  const scope = tokenScopes.find((one) => one === (reader.text('scope') ?? tokenScopes[0]));
  if (name === '' || name.length > MAX_NAME) throw reader.refusal('name', `must have 1 to ${MAX_NAME} characters`);
  if (!/^[0-9a-f]{64}$/.test(tokenHash)) throw reader.refusal('token_hash', SHA256_FORM);
  if (prefix.length > MAX_PREFIX) throw reader.refusal('prefix', `must have at most ${MAX_PREFIX} characters`);
  if (!scope) throw reader.refusal('scope', `must be one of ${tokenScopes.join(', ')}`);
  const apps = reader.raw('allowed_apps') === null ? null : reader.texts('allowed_apps');
  return {
    name,
    tokenHash,
    prefix,
    scope,
    apps: apps ? (by('tokens', () => parseAppNames(apps)) ?? null) : null,
    createdAt: reader.instant('created_at'),
    expiresAt: reader.instantOrNull('expires_at') ?? null,
    lastUsedAt: reader.instantOrNull('last_used_at') ?? null,
  };
}

/** Reads the e-mail address and whether it is confirmed. */
function readEmail(reader: RecordReader): Pick<UserRecord, 'email' | 'emailPending'> {
  const text = reader.textOrNull('email');
  const isConfirmed = reader.flag('email_confirmed') === true;
  if (text === undefined || text === null) return { email: text, emailPending: undefined };
  const email = by('email', () => requireEmail(text));
  return isConfirmed ? { email, emailPending: undefined } : { email: undefined, emailPending: email };
}

/** Maximum number of bytes in a credential id (Web Authentication Level 3 §7.1). */
const MAX_CREDENTIAL_ID = 1023;
const MAX_PUBLIC_KEY = 4096;
const MAX_TRANSPORTS = 10;
const MAX_COUNTER = 2 ** 32 - 1;

function readBytes(reader: RecordReader, name: string, maximum: number): string {
  const text = reader.requiredText(name);
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length > 0 && bytes.length <= maximum && bytes.toString('base64url') === text) return text;
  throw reader.refusal(name, `must be base64url of 1 to ${maximum} bytes`);
}

function readPasskey(reader: RecordReader): ImportedPasskey {
  const credentialId = readBytes(reader, 'credential_id', MAX_CREDENTIAL_ID);
  const publicKey = readBytes(reader, 'public_key', MAX_PUBLIC_KEY);
  const counter = reader.integer('counter') ?? 0;
  const transports = reader.texts('transports') ?? [];
  if (!isCoseKey(new Uint8Array(Buffer.from(publicKey, 'base64url'))))
    throw reader.refusal('public_key', 'must be a complete COSE key');
  if (counter < 0 || counter > MAX_COUNTER)
    throw reader.refusal('counter', `must be a number from 0 to ${MAX_COUNTER}`);
  if (transports.length > MAX_TRANSPORTS || !transports.every((one) => /^[a-z-]{1,32}$/.test(one)))
    throw reader.refusal('transports', 'must be a list of names such as usb or internal');
  const name = reader.text('name') ?? authenticatorName('');
  return {
    credentialId,
    publicKey,
    counter,
    name: by('passkeys', () => parsePasskeyName(name)),
    transports,
    createdAt: reader.instant('created_at'),
  };
}

function readPasskeys(reader: RecordReader): ImportedPasskey[] {
  const passkeys = reader.objects('passkeys').map(readPasskey);
  if (passkeys.length > MAX_PASSKEYS) throw invalid('passkeys', `A user can have at most ${MAX_PASSKEYS} passkeys.`);
  return passkeys;
}

/**
 * Reads a user from a record.
 *
 * @throws LineRefusal
 */
export function readUser(reader: RecordReader, rules: UserRules): UserRecord {
  const name = reader.requiredText('username');
  return {
    type: 'user',
    username: by('username', () => requireNewName(name)),
    fullName: by('full_name', () => parseFullName(reader.text('full_name'))),
    image: by('image', () => parseImage(reader.text('image'))),
    role: by('role', () => parseRole(reader.text('role'), rules.roles)),
    apps: by('allowed_apps', () => parseAppNames(reader.texts('allowed_apps'))),
    isActive: reader.flag('is_active'),
    ...readEmail(reader),
    createdAt: reader.instant('created_at'),
    lastLoginAt: reader.instantOrNull('last_login_at'),
    password: readPassword(reader),
    totpSecret: readTotpSecret(reader),
    links: readLinks(reader, rules),
    tokens: reader.objects('tokens').map(readToken),
    passkeys: readPasskeys(reader),
  };
}
