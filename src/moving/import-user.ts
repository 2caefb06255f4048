import type { Transaction } from '../db/handle.ts';
import { sealImportedHash } from '../lib/imported-hash.ts';
import { insertHashed } from '../users/add-user.ts';
import {
  addLink,
  addToken,
  addTotp,
  claimParts,
  type ImportParts,
  missingLinks,
  missingTokens,
  WrittenMeanwhile,
} from './import-parts.ts';
import type { ImportRun } from './import-run.ts';
import type { UserRecord } from './user-record.ts';

/**
 * Adds the user of a record with everything that belongs to it. Refusals are found before anything is written.
 *
 * @param tx open transaction in which there is no user of this name
 * @throws LineRefusal LINK_TAKEN, TOKEN_TAKEN
 * @throws WrittenMeanwhile
 */
export async function importNewUser(
  tx: Transaction,
  run: ImportRun,
  parts: ImportParts,
  record: UserRecord,
): Promise<void> {
  const links = await missingLinks(tx, run, record);
  const tokens = await missingTokens(tx, run, record);
  const { username, password, totpSecret, role = 'normaluser', isActive = true } = record;
  claimParts(run, links, tokens);
  if (run.isDry) {
    if (role === 'superadmin' && isActive) run.superadmins += 1;
    return;
  }
  const user = await insertHashed(tx, parts, {
    name: username.name,
    hash: password ? sealImportedHash(parts.dataSealer, password.text) : '',
    fullName: record.fullName,
    role,
    apps: record.apps,
    image: record.image,
    email: record.email,
    isInactive: !isActive,
    createdAt: record.createdAt,
    lastLoginAt: record.lastLoginAt,
  });
  if (!user) throw new WrittenMeanwhile();
  for (const link of links) await addLink(tx, parts, user.id, link);
  for (const token of tokens) await addToken(tx, parts, user.id, token);
  if (totpSecret !== undefined) await addTotp(tx, parts, user.id, totpSecret);
}
