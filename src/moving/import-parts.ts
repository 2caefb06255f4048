import { insertImportedToken, tokenByHash } from '../api-tokens/queries.ts';
import type { DataSealer } from '../db/data-keys.ts';
import type { Database, Handle, Transaction } from '../db/handle.ts';
import { takeTransactionLock } from '../db/transaction-lock.ts';
import type { Actor } from '../events/actor.ts';
import { insertImportedPasskey, ownerOfCredential } from '../factors/passkey-queries.ts';
import { insertTotpFactor } from '../factors/queries.ts';
import { TOTP_PURPOSE } from '../factors/totp-secret.ts';
import type { Email } from '../lib/email-address.ts';
import { newRef } from '../lib/random.ts';
import { insertLink, userOfAccount } from '../social/queries.ts';
import { deletePendingEmail, insertPendingEmail } from '../users/pending-email-queries.ts';
import type { Seen } from './import-run.ts';
import { LineRefusal } from './line-refusal.ts';
import type { ImportedLink, ImportedPasskey, ImportedToken, UserRecord } from './user-record.ts';

/** The number of the lock that lets only one import write at a time. */
const LOCK = 71_302_114;

/**
 * Thrown when another import has written the same record in the meantime. The transaction is then repeated and sees
 * that record.
 */
export class WrittenMeanwhile extends Error {}

/**
 * Runs a transaction of an import. Concurrent imports take turns. Otherwise they would deadlock on PostgreSQL if
 * they contain the same records in different orders. On SQLite, a transaction always has the database to itself.
 */
export function importTransaction<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await takeTransactionLock(tx, LOCK);
    return work(tx);
  });
}

/** What an import needs besides the database and the records. */
export interface ImportParts {
  dataSealer: DataSealer;
  actor: Actor;
  now: number;
  /** The application that a user may use if the record contains no applications. */
  appName: string;
  /** The RP id that imported passkeys are bound to. */
  rpId: string;
}

const linkKey = ({ provider, accountId }: ImportedLink): string => `link ${provider} ${accountId}`;
const tokenKey = ({ tokenHash }: ImportedToken): string => `token ${tokenHash}`;

const passkeyKey = ({ credentialId }: ImportedPasskey): string => `passkey ${credentialId}`;

/** The parts of a record that the user does not have yet. */
export interface MissingParts {
  links: ImportedLink[];
  tokens: ImportedToken[];
  passkeys: ImportedPasskey[];
}

/** Remembers these parts as taken, because they will be written soon or because a dry run would have written them. */
export function claimParts(claims: Seen, { links, tokens, passkeys }: MissingParts): void {
  for (const link of links) claims.add(linkKey(link));
  for (const token of tokens) claims.add(tokenKey(token));
  for (const passkey of passkeys) claims.add(passkeyKey(passkey));
}

/**
 * Finds the links, tokens and passkeys of a record that the user does not have yet.
 *
 * @param claims parts that other users of the same import get but that may not be written yet
 * @param userId id of the existing user; undefined for a new user
 * @throws LineRefusal LINK_TAKEN, TOKEN_TAKEN, PASSKEY_TAKEN
 */
export async function missingParts(
  handle: Handle,
  claims: Seen,
  record: UserRecord,
  userId?: number,
): Promise<MissingParts> {
  return {
    links: await missingLinks(handle, claims, record, userId),
    tokens: await missingTokens(handle, claims, record, userId),
    passkeys: await missingPasskeys(handle, claims, record, userId),
  };
}

/**
 * Finds the links of a record that the user does not have yet.
 *
 * @param userId id of the existing user; undefined for a new user
 * @throws LineRefusal LINK_TAKEN
 */
async function missingLinks(
  handle: Handle,
  claims: Seen,
  { links }: UserRecord,
  userId?: number,
): Promise<ImportedLink[]> {
  const missing: ImportedLink[] = [];
  for (const link of links) {
    const owner = await userOfAccount.first(handle, link);
    if (owner?.id === userId && owner) continue;
    if (owner || claims.has(linkKey(link)))
      throw new LineRefusal('LINK_TAKEN', 'links', `The ${link.provider} account is linked to another user.`);
    missing.push(link);
  }
  return missing;
}

/** Finds the tokens of a record that the user does not have yet. Throws LineRefusal TOKEN_TAKEN. */
async function missingTokens(
  handle: Handle,
  claims: Seen,
  { tokens }: UserRecord,
  userId?: number,
): Promise<ImportedToken[]> {
  const missing = new Map<string, ImportedToken>();
  for (const token of tokens) {
    const found = await tokenByHash.first(handle, { hash: token.tokenHash });
    if (found?.user_id === userId && found) continue;
    if (found || missing.has(token.tokenHash) || claims.has(tokenKey(token)))
      throw new LineRefusal('TOKEN_TAKEN', 'tokens', 'A token with the same hash already exists.');
    missing.set(token.tokenHash, token);
  }
  return [...missing.values()];
}

/** Finds the passkeys of a record that the user does not have yet. Throws LineRefusal PASSKEY_TAKEN. */
async function missingPasskeys(
  handle: Handle,
  claims: Seen,
  { passkeys }: UserRecord,
  userId?: number,
): Promise<ImportedPasskey[]> {
  const missing = new Map<string, ImportedPasskey>();
  for (const passkey of passkeys) {
    const owner = await ownerOfCredential.first(handle, passkey);
    if (owner?.user_id === userId && owner) continue;
    if (owner || missing.has(passkey.credentialId) || claims.has(passkeyKey(passkey)))
      throw new LineRefusal('PASSKEY_TAKEN', 'passkeys', 'A passkey with the same credential id already exists.');
    missing.set(passkey.credentialId, passkey);
  }
  return [...missing.values()];
}

/**
 * Stores an imported passkey.
 *
 * @returns the ref of the passkey
 */
export async function addPasskey(
  tx: Transaction,
  { now, rpId }: ImportParts,
  userId: number,
  { createdAt, transports, ...facts }: ImportedPasskey,
): Promise<string> {
  const ref = newRef();
  const row = { ...facts, ref, userId, transports: JSON.stringify(transports), rpId, now: createdAt ?? now };
  if ((await insertImportedPasskey.run(tx, row)) === 0) throw new WrittenMeanwhile();
  return ref;
}

/** Stores an e-mail address that its owner must still confirm. Replaces an earlier unconfirmed address. */
export async function addPendingEmail(tx: Transaction, userId: number, { address, key }: Email): Promise<void> {
  await deletePendingEmail.run(tx, { userId });
  await insertPendingEmail.run(tx, { userId, email: address, emailKey: key, codeHash: null, expiresAt: null });
}

export async function addLink(
  tx: Transaction,
  { now }: ImportParts,
  userId: number,
  link: ImportedLink,
): Promise<void> {
  const added = await insertLink.run(tx, { ...link, userId, now });
  if (added === 0) throw new WrittenMeanwhile();
}

/**
 * Stores an imported API token.
 *
 * @returns the id of the token
 */
export async function addToken(
  tx: Transaction,
  { now }: ImportParts,
  userId: number,
  token: ImportedToken,
): Promise<number> {
  const { apps, createdAt, ...facts } = token;
  const allowedApps = apps && JSON.stringify(apps);
  const added = await insertImportedToken.first(tx, { ...facts, userId, allowedApps, now: createdAt ?? now });
  if (!added) throw new WrittenMeanwhile();
  return added.id;
}

export async function addTotp(
  tx: Transaction,
  { dataSealer, now }: ImportParts,
  userId: number,
  secret: string,
): Promise<void> {
  const sealed = dataSealer.seal(TOTP_PURPOSE, secret);
  await insertTotpFactor.run(tx, { userId, secret: sealed, keyId: dataSealer.keyId, lastStep: 0, now });
}
