import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Place } from '../db/place.ts';
import { fileFault, wrongKind } from '../db/reasons.ts';
import { accessFault, describeFileFault } from '../lib/file-fault.ts';
import { type Finding, failure, fine, skipped, warning } from './finding.ts';

const MIB = 1024 * 1024;
const MIN_FREE_BYTES = 200 * MIB;
const MIN_FREE_PERCENT = 2;
const LOW_FREE_PERCENT = 10;

/** Converts an error. The first sentence of its description is the problem, and the others are the remedy. */
function toFinding(fault: Error): Finding {
  const [message = '', ...advice] = describeFileFault(fault).split('. ');
  const hint = advice.length > 0 ? advice.join('. ') : 'Give this account the right to read and write it';
  return failure(`${message}.`, `${hint}.`);
}

/**
 * Checks that this account can read and write the files of the service. On SQLite these are the database files. On
 * PostgreSQL it is the file with the session secret, if there is one.
 */
export function checkDataFolder({ file }: Place, keyFile: string | undefined): Finding {
  const own = file ?? keyFile;
  if (own === undefined) return skipped('The service keeps no files.');
  const wrong = file === undefined ? undefined : wrongKind(file);
  if (wrong) return failure(`${wrong.message}.`, 'Set DATABASE_URL to the path of a file.');
  const folder = dirname(own);
  const fault = file === undefined ? (accessFault(folder) ?? accessFault(own)) : fileFault(file);
  if (fault) return toFinding(fault);
  return existsSync(folder) ? fine(`${folder} can be read and written.`) : skipped(`${folder} does not exist yet.`);
}

/** Checks that the disk with the SQLite file has free space. */
export function checkDisk({ file }: Place): Finding {
  if (file === undefined) return skipped('The data is in PostgreSQL.');
  const folder = dirname(file);
  if (!existsSync(folder)) return skipped(`${folder} does not exist yet.`);
  const { bavail, blocks, bsize } = statfsSync(folder);
  const [free, percent] = [bavail * bsize, blocks > 0 ? (100 * bavail) / blocks : 100];
  const found = `${Math.floor(free / MIB)} MiB (${percent.toFixed(1)} %) are free on the disk of ${folder}.`;
  const hint = 'Make room on that disk, or move the database to a larger one.';
  if (free < MIN_FREE_BYTES || percent < MIN_FREE_PERCENT) return failure(`Only ${found}`, hint);
  return percent < LOW_FREE_PERCENT ? warning(`Only ${found}`, hint) : fine(found);
}
