import type { DataSealer } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import { sha256 } from '../lib/digest.ts';
import type { Sealer } from '../lib/sealing.ts';
import { anyFormerRecoveryCode, formerTotpFactors, insertFormerRecoveryKey, setTotpSecret } from './queries.ts';
import { FORMER_KEY_PURPOSE, RECOVERY_PURPOSE } from './recovery-codes.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

/** Rows per transaction, so that no one waits long for the database. */
const PORTION = 200;

interface Needs {
  database: Database;
  /** Of the session secrets. */
  sealer: Sealer;
  dataSealer: DataSealer;
}

/** Seals with the data key what session secrets sealed. A row that they do not open stays as it is. */
async function moveTotpSecrets({ database, sealer, dataSealer }: Needs): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await formerTotpFactors.all(database, { after, most: PORTION });
    const moved = rows.flatMap(({ id, secret: former }) => {
      const secret = sealer.open(TOTP_PURPOSE, former);
      return secret === undefined ? [] : [{ id, former, secret: dataSealer.seal(TOTP_PURPOSE, secret) }];
    });
    await database.transaction(async (tx) => {
      for (const row of moved) await setTotpSecret.run(tx, { ...row, keyId: dataSealer.keyId });
    });
    const last = rows.at(-1);
    if (!last || rows.length < PORTION) return;
    after = last.id;
  }
}

/**
 * Stores the keys of recovery codes from session secrets, because the codes themselves are unknown and cannot be hashed
 * again.
 */
async function keepRecoveryKeys({ database, sealer, dataSealer }: Needs): Promise<void> {
  if (!(await anyFormerRecoveryCode.first(database, {}))) return;
  for (const key of sealer.keys(RECOVERY_PURPOSE)) {
    const text = key.toString('hex');
    await insertFormerRecoveryKey.run(database, {
      id: sha256(text).slice(0, 16),
      sealed: dataSealer.seal(FORMER_KEY_PURPOSE, text),
    });
  }
}

/**
 * Moves second factors from the session secrets, which sealed them before there were data keys, to the data key.
 *
 * Any number of processes may do so at once, and one that was killed is continued by the next.
 */
export async function moveFactorsToDataKey(needs: Needs): Promise<void> {
  await moveTotpSecrets(needs);
  await keepRecoveryKeys(needs);
}
