import type { Transaction } from '../db/handle.ts';
import { sealImportedHash } from '../lib/imported-hash.ts';
import { insertHashed } from '../users/add-user.ts';
import {
  addLink,
  addPasskey,
  addPendingEmail,
  addToken,
  addTotp,
  claimParts,
  type ImportParts,
  missingParts,
  WrittenMeanwhile,
} from './import-parts.ts';
import type { ImportRun } from './import-run.ts';
import type { UserRecord } from './user-record.ts';

/**
 * Adds the user of a record with everything that belongs to it. Refusals are found before anything is written.
 *
 * @param tx open transaction in which there is no user of this name
 * @throws LineRefusal LINK_TAKEN, TOKEN_TAKEN, PASSKEY_TAKEN
 * @throws WrittenMeanwhile
 */
export async function importNewUser(
  tx: Transaction,
  run: ImportRun,
  parts: ImportParts,
  record: UserRecord,
): Promise<void> {
  const missing = await missingParts(tx, run, record);
  const { username, password, totpSecret, role = 'normaluser', isActive = true } = record;
  claimParts(run, missing);
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
  for (const link of missing.links) await addLink(tx, parts, user.id, link);
  for (const token of missing.tokens) await addToken(tx, parts, user.id, token);
  for (const passkey of missing.passkeys) await addPasskey(tx, parts, user.id, passkey);
  if (record.emailPending) await addPendingEmail(tx, user.id, record.emailPending);
  if (totpSecret !== undefined) await addTotp(tx, parts, user.id, totpSecret);
}
