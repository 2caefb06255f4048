import { tokensOfUsers } from '../api-tokens/queries.ts';
import { CommandFailure } from '../command/command-failure.ts';
import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { passkeysOfUsers } from '../factors/passkey-queries.ts';
import { totpFactorsOfUsers } from '../factors/queries.ts';
import { TOTP_PURPOSE } from '../factors/totp-secret.ts';
import { isImportedHash, openImportedHash } from '../lib/imported-hash.ts';
import { isoOrNull } from '../lib/instant.ts';
import { linksOfUsers } from '../social/queries.ts';
import { pendingEmailsOfUsers } from '../users/pending-email-queries.ts';
import { usersAfter } from '../users/queries.ts';
import { parseList, toUser } from '../users/user.ts';

/** Number of users that are read into memory at a time. */
const PORTION = 200;

interface ExportRules {
  withHashes: boolean;
  /** Milliseconds since the epoch, UTC. */
  now: number;
  /** Undefined if the session secrets open no data key. */
  sealer: DataSealer | undefined;
}

type UserRow = Awaited<ReturnType<typeof usersAfter.all>>[number];
type PasskeyRow = Awaited<ReturnType<typeof passkeysOfUsers.all>>[number];
type TokenRow = Awaited<ReturnType<typeof tokensOfUsers.all>>[number];

const iso = (at: number): string => new Date(at).toISOString();

function requireOpened(text: string | undefined, username: string): string {
  if (text !== undefined) return text;
  throw new CommandFailure(
    `SESSION_SECRET_KEY cannot decrypt the stored secrets of ${username}. Use the SESSION_SECRET_KEY of the service.`,
  );
}

function passwordOf({ password_hash: stored, username }: UserRow, { sealer }: ExportRules): string | null {
  if (stored === '') return null;
  return isImportedHash(stored) ? requireOpened(sealer && openImportedHash(sealer, stored), username) : stored;
}

const toTokenLine = (token: TokenRow) => ({
  name: token.name,
  token_hash: token.token_hash,
  prefix: token.prefix,
  scope: token.scope,
  allowed_apps: token.allowed_apps === null ? null : parseList(token.allowed_apps),
  created_at: iso(token.created_at),
  expires_at: isoOrNull(token.expires_at),
  last_used_at: isoOrNull(token.last_used_at),
});

const toPasskeyLine = (passkey: PasskeyRow) => ({
  credential_id: passkey.credential_id,
  public_key: passkey.public_key,
  counter: passkey.counter,
  name: passkey.name,
  transports: parseList(passkey.transports),
  created_at: iso(passkey.created_at),
});

interface UserParts {
  links: readonly { provider: string; account_id: string }[];
  /** An e-mail address that its owner has not confirmed yet. */
  emailPending: string | undefined;
}

function toUserLine(row: UserRow, { links, emailPending }: UserParts) {
  const user = toUser(row);
  return {
    type: 'user',
    username: user.username,
    full_name: user.fullName,
    role: user.role,
    is_active: user.deactivatedAt === null,
    allowed_apps: user.allowedApps,
    image: user.image,
    email: user.email ?? emailPending ?? null,
    email_confirmed: user.email !== null,
    created_at: iso(user.createdAt),
    last_login_at: isoOrNull(user.lastLoginAt),
    links: Object.fromEntries(links.map(({ provider, account_id: id }) => [provider, id])),
  };
}

/**
 * Reads the users as lines of an export, in the order of their ids. Yields up to PORTION lines at a time.
 *
 * @param handle transaction that sees one unchanging state of the database
 * @throws CommandFailure if sealed values cannot be opened
 */
export async function* userLines(handle: Handle, rules: ExportRules): AsyncGenerator<object[]> {
  for (let after = 0; ; ) {
    const rows = await usersAfter.all(handle, { after, most: PORTION });
    const last = rows.at(-1);
    if (!last) return;
    const userIds = rows.map(({ id }) => id);
    const links = await linksOfUsers.all(handle, { userIds });
    const pending = await pendingEmailsOfUsers.all(handle, { userIds, now: rules.now });
    const emails = new Map(pending.map(({ user_id: userId, email }) => [userId, email]));
    const lines = rows.map((row) =>
      toUserLine(row, {
        links: links.filter((link) => link.user_id === row.id),
        emailPending: emails.get(row.id),
      }),
    );
    yield rules.withHashes ? await withHashes(handle, rules, rows, lines) : lines;
    after = last.id;
  }
}

async function withHashes(handle: Handle, rules: ExportRules, rows: readonly UserRow[], lines: readonly object[]) {
  const userIds = rows.map(({ id }) => id);
  const tokens = await tokensOfUsers.all(handle, { userIds });
  const passkeys = await passkeysOfUsers.all(handle, { userIds });
  const factors = new Map(
    (await totpFactorsOfUsers.all(handle, { userIds })).map((factor) => [factor.user_id, factor]),
  );
  return lines.map((line, at) => {
    const row = rows[at];
    if (!row) return line;
    const factor = factors.get(row.id);
    return {
      ...line,
      password_hash: passwordOf(row, rules),
      totp_secret: factor ? requireOpened(rules.sealer?.open(TOTP_PURPOSE, factor.secret), row.username) : null,
      tokens: tokens.filter((token) => token.user_id === row.id).map(toTokenLine),
      passkeys: passkeys.filter((passkey) => passkey.user_id === row.id).map(toPasskeyLine),
    };
  });
}
