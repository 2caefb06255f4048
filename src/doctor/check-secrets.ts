import { existsSync, statSync } from 'node:fs';
import { readDataSealer } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import { openImportedHash } from '../lib/imported-hash.ts';
import { asTyped } from '../settings/as-typed.ts';
import { existingSecrets, secretFile } from '../settings/secrets.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Settings } from '../settings/table.ts';
import { type Finding, failure, fine, warning } from './finding.ts';
import { countDataKeys, countUnreadableUsers, importedHashes } from './queries.ts';

const FOR_OTHERS = 0o077;

/**
 * Checks the file that holds the session secret if SESSION_SECRET_KEY is not set. Returns undefined if the file is fine or
 * does not exist.
 */
export function findKeyFileFault(settings: Settings): Finding | undefined {
  try {
    existingSecrets(settings);
  } catch (error) {
    if (error instanceof SettingsError)
      return failure(error.message, 'Let this account read the file, or set SESSION_SECRET_KEY.');
    throw error;
  }
  const file = secretFile(settings);
  if (file === undefined || !existsSync(file) || (statSync(file).mode & FOR_OTHERS) === 0) return undefined;
  return failure(
    `Other accounts of this machine can read ${file}, the secret that encrypts cookies and second factors.`,
    `Run: chmod 600 ${file}. If others use this machine, replace the secret.`,
  );
}

const RESTORE =
  'Add the old secret after the new one (SESSION_SECRET_KEY=NEW,OLD), or write it back to its file, and restart the service.';

async function findStoredFault(database: Database, secrets: readonly string[]): Promise<Finding | undefined> {
  const dataSealer = await readDataSealer(database, secrets);
  const samples = await importedHashes.all(database, {});
  const isClosed = (sample: string) => !dataSealer || openImportedHash(dataSealer, sample) === undefined;
  const heads = samples.filter(({ sample }) => isClosed(sample)).map(({ head }) => head);
  const counted = await countUnreadableUsers.first(database, { keyIds: dataSealer?.keyIds ?? [], heads });
  const users = Number(counted?.users ?? 0);
  const whose = users === 1 ? 'of 1 user' : `of ${users} users`;
  if (users > 0)
    return failure(
      `SESSION_SECRET_KEY cannot decrypt the second factors, recovery codes or imported passwords ${whose}.`,
      `${RESTORE} If the old secret is lost, run ${asTyped('2fa enable NAME')} or ${asTyped('user password NAME')} for each of them; ${asTyped('2fa list --unreadable')} names those with a second factor.`,
    );
  const hasKeys = Number((await countDataKeys.first(database, {}))?.keys ?? 0) > 0;
  if (dataSealer || !hasKeys) return undefined;
  return failure(
    'SESSION_SECRET_KEY cannot decrypt any key in the database, so no encrypted value can be read.',
    RESTORE,
  );
}

/** Checks that the session secrets open the stored secrets. */
export async function checkSecrets(database: Database, settings: Settings): Promise<Finding> {
  const fault = await findStoredFault(database, existingSecrets(settings));
  if (fault) return fault;
  if (settings.IS_DEPLOYED && settings.MAIN_SECRET_TOKEN === undefined)
    return warning(
      'MAIN_SECRET_TOKEN is not set, so POST /authsvc/api/terminateAllSessions refuses everyone.',
      'Set it to random text of at least 16 characters, such as the output of: openssl rand -hex 32',
    );
  return fine('The secrets can decrypt everything that is stored.');
}
