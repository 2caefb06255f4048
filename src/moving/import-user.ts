import type { Transaction } from '../db/handle.ts';
import { sealImportedHash } from '../lib/imported-hash.ts';
import { type HashedUser, insertAllHashed } from '../users/add-user.ts';
import {
  addLink,
  addPasskey,
  addPendingEmail,
  addToken,
  addTotp,
  claimParts,
  type ImportParts,
  type MissingParts,
  missingParts,
  WrittenMeanwhile,
} from './import-parts.ts';
import { type ImportRun, Seen } from './import-run.ts';
import { LineRefusal } from './line-refusal.ts';
import type { UserRecord } from './user-record.ts';

interface NewOne {
  record: UserRecord;
  missing: MissingParts;
}

function toHashed({ dataSealer }: ImportParts, record: UserRecord): HashedUser {
  const { username, password, role = 'normaluser', isActive = true } = record;
  return {
    name: username.name,
    hash: password ? sealImportedHash(dataSealer, password.text) : '',
    fullName: record.fullName,
    role,
    apps: record.apps,
    image: record.image,
    email: record.email,
    isInactive: !isActive,
    createdAt: record.createdAt,
    lastLoginAt: record.lastLoginAt,
  };
}

async function write(tx: Transaction, parts: ImportParts, ones: readonly NewOne[]): Promise<void> {
  if (ones.length === 0) return;
  const users = await insertAllHashed(
    tx,
    parts,
    ones.map(({ record }) => toHashed(parts, record)),
  );
  for (const [at, { record, missing }] of ones.entries()) {
    const user = users[at];
    if (!user) throw new WrittenMeanwhile();
    for (const link of missing.links) await addLink(tx, parts, user.id, link);
    for (const token of missing.tokens) await addToken(tx, parts, user.id, token);
    for (const passkey of missing.passkeys) await addPasskey(tx, parts, user.id, passkey);
    if (record.emailPending) await addPendingEmail(tx, user.id, record.emailPending);
    if (record.totpSecret !== undefined) await addTotp(tx, parts, user.id, record.totpSecret);
  }
}

/**
 * Adds users with all their links, tokens, passkeys and factors. Checks all records before it writes anything.
 *
 * @param tx open transaction in which no users with these names exist
 * @returns the records that are refused: LINK_TAKEN, TOKEN_TAKEN, PASSKEY_TAKEN
 * @throws WrittenMeanwhile
 */
export async function importNewUsers(
  tx: Transaction,
  run: ImportRun,
  parts: ImportParts,
  records: readonly UserRecord[],
): Promise<Map<UserRecord, LineRefusal>> {
  const claims = run.isDry ? run.claims : new Seen();
  const refusals = new Map<UserRecord, LineRefusal>();
  const ones: NewOne[] = [];
  for (const record of records) {
    try {
      const missing = await missingParts(tx, claims, record);
      claimParts(claims, missing);
      ones.push({ record, missing });
    } catch (error) {
      if (!(error instanceof LineRefusal)) throw error;
      refusals.set(record, error);
    }
  }
  if (!run.isDry) await write(tx, parts, ones);
  return refusals;
}
