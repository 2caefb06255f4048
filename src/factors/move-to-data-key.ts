import type { DataSealer } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import { sha256 } from '../lib/digest.ts';
import type { Sealer } from '../lib/sealing.ts';
import { anyFormerRecoveryCode, formerTotpFactors, insertFormerRecoveryKey, setTotpSecret } from './queries.ts';
import { FORMER_KEY_PURPOSE, RECOVERY_PURPOSE } from './recovery-codes.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

/** Rows per transaction. A small number keeps the database available to other requests. */
const PORTION = 200;

interface Needs {
  database: Database;
  /** Opens values that were sealed with the session secrets. */
  sealer: Sealer;
  dataSealer: DataSealer;
}

/**
 * Seals TOTP secrets with the data key if they were sealed with a session secret. A TOTP secret that no known session
 * secret opens stays unchanged.
 */
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
 * Stores the hash keys that were derived from session secrets, because existing recovery codes still need them.
 * These codes cannot be hashed with a new key, because only their hashes are stored.
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
 * Moves second factors to the data key. Before data keys existed, the session secrets sealed them.
 *
 * Several processes may run this at the same time. If one is killed, the next start continues its work.
 */
export async function moveFactorsToDataKey(needs: Needs): Promise<void> {
  await moveTotpSecrets(needs);
  await keepRecoveryKeys(needs);
}
