import type { FormerRow } from '../db/mbkauthe.ts';
import { idOf, instantOf, isSet, jsonOf, textOf } from './former-values.ts';
import type { ImportRun } from './import-run.ts';
import { invalid, LineRefusal } from './line-refusal.ts';
import { isObject } from './record-reader.ts';

/** How mbkauthe stored passwords. */
export type FormerPasswords = 'peppered' | 'unpeppered' | 'plain' | 'none';

export interface FormerRules {
  passwords: FormerPasswords;
  pepper: string | undefined;
  /** The new name of each renamed application, by its old name in lower case. */
  renamed: ReadonlyMap<string, string>;
  roles: readonly string[];
  now: number;
  /** Hashes a plaintext password. */
  hash(password: string): Promise<string>;
}

/** The accounts that a user has linked at one provider in mbkauthe. */
export interface FormerLinks {
  /** The name of the provider in this service. */
  provider: string;
  rows: readonly FormerRow[];
  /** The column that contains the account ids. */
  column: string;
}

/** A user of mbkauthe, with the rows of other tables that belong to the user. */
export interface FormerUser {
  user: FormerRow;
  factor: FormerRow | undefined;
  links: readonly FormerLinks[];
  tokens: readonly FormerRow[];
}

const DEFAULT_IMAGE = 'https://portal.mbktech.org/';
const DEFAULT_EMAIL = 'support@mbktech.org';
const ROUNDS = 100_000;

function roleOf(user: FormerRow, { roles }: FormerRules): string {
  const role = textOf(user, 'Role')?.toLowerCase() ?? 'normaluser';
  return roles.find((one) => one.toLowerCase() === role) ?? role;
}

/**
 * Replaces the old names of applications with the new ones. Returns a value that is not a list unchanged, so that
 * the import refuses it later.
 */
export function renameApps(value: unknown, { renamed }: Pick<FormerRules, 'renamed'>): unknown {
  if (!Array.isArray(value)) return value;
  const newName = (name: unknown) => (typeof name === 'string' ? renamed.get(name.toLowerCase()) : undefined);
  return value.map((name: unknown) => newName(name) ?? name);
}

async function passwordOf(user: FormerRow, { passwords, pepper, hash }: FormerRules): Promise<object | string | null> {
  const name = textOf(user, 'UserName') ?? '';
  const clear = textOf(user, 'Password');
  if (passwords === 'plain') return clear === undefined ? null : hash(clear);
  const stored = passwords === 'none' ? undefined : textOf(user, 'PasswordEnc');
  if (stored === undefined) return null;
  if (!/^[0-9a-f]{128}$/i.test(stored))
    throw new LineRefusal(
      'HASH_MALFORMED',
      'password_hash',
      'The column PasswordEnc does not have 128 hexadecimal digits.',
    );
  const salt = passwords === 'peppered' ? `${name}:${pepper}` : name;
  const derivation = { algorithm: 'pbkdf2', digest: 'sha512', iterations: ROUNDS };
  return { ...derivation, salt, salt_encoding: 'utf8', hash: stored };
}

/**
 * Returns the account with the highest row id at each provider. Warns about the user's other accounts, because
 * authsvc keeps only one per provider.
 */
function accountsOf(run: ImportRun, { user, links }: FormerUser): Record<string, string> {
  const accounts: Record<string, string> = {};
  for (const { provider, rows, column } of links) {
    const ids = rows.map((row) => textOf(row, column)).filter((id) => id !== undefined);
    const last = ids.pop();
    for (const id of ids) run.warnOnce(`Users ${idOf(user)}: The ${provider} account ${id} was not imported.`);
    if (last !== undefined) accounts[provider] = last;
  }
  return accounts;
}

function toToken(row: FormerRow, rules: FormerRules): object {
  const permissions = jsonOf(row, 'Permissions') ?? {};
  if (!isObject(permissions)) throw invalid('tokens', 'The column Permissions must be a JSON object.');
  const apps = renameApps(Reflect.get(permissions, 'allowedApps'), rules) ?? null;
  return {
    name: row.get('Name'),
    token_hash: row.get('TokenHash'),
    prefix: textOf(row, 'Prefix') ?? '',
    scope: Reflect.get(permissions, 'scope') ?? 'read-only',
    allowed_apps: Array.isArray(apps) && apps.includes('*') ? null : apps,
    created_at: instantOf(row, 'CreatedAt'),
    expires_at: instantOf(row, 'ExpiresAt') ?? null,
    last_used_at: instantOf(row, 'LastUsed') ?? null,
  };
}

/**
 * Returns the secret of the authenticator app if the second step is on. Without a secret, mbkauthe never asks for a
 * code, so nothing is imported then.
 */
function totpSecretOf(run: ImportRun, { user, factor }: FormerUser): string | null {
  if (!factor || !isSet(factor, 'TwoFAStatus')) return null;
  const secret = textOf(factor, 'TwoFASecret');
  if (secret === undefined)
    run.warnOnce(`Users ${idOf(user)}: The second factor is on but has no secret, so it was not imported.`);
  return secret ?? null;
}

const isExpired = (row: FormerRow, now: number): boolean => Date.parse(instantOf(row, 'ExpiresAt') ?? '') <= now;

/**
 * Converts a user of mbkauthe into the fields of a record. Leaves out fields without a value and fields with the
 * default of mbkauthe, so that an update keeps the existing values.
 *
 * @throws LineRefusal HASH_MALFORMED; FIELD_INVALID
 */
export async function toUserFields(run: ImportRun, former: FormerUser, rules: FormerRules): Promise<object> {
  const { user, tokens } = former;
  const image = textOf(user, 'Image');
  const email = textOf(user, 'email');
  const valid = tokens.filter((token) => !isExpired(token, rules.now));
  run.expiredTokens += tokens.length - valid.length;
  return {
    username: user.get('UserName'),
    full_name: textOf(user, 'FullName'),
    role: roleOf(user, rules),
    is_active: isSet(user, 'Active'),
    allowed_apps: renameApps(jsonOf(user, 'AllowedApps'), rules),
    image: image?.startsWith(DEFAULT_IMAGE) ? undefined : image,
    email: email === DEFAULT_EMAIL ? undefined : email,
    created_at: instantOf(user, 'created_at'),
    last_login_at: instantOf(user, 'last_login') ?? null,
    password_hash: await passwordOf(user, rules),
    totp_secret: totpSecretOf(run, former),
    links: accountsOf(run, former),
    tokens: valid.map((token) => toToken(token, rules)),
  };
}
