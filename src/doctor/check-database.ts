import type { Database } from '../db/handle.ts';
import { migrationStatus } from '../db/migrate.ts';
import { requireAnswer, requireFile, toDatabaseError } from '../db/reach.ts';
import { requireComplete, requireUsable } from '../db/requirements.ts';
import { asTyped } from '../settings/as-typed.ts';
import type { Settings } from '../settings/table.ts';
import { type Finding, failure, fine, warning } from './finding.ts';
import { connectionLimits } from './queries.ts';

const sentencesOf = (text: string): string[] => text.trim().split(/(?<=\.) /);

/** Converts an error. In each line of its message, the first sentence is the problem and the others are the remedy. */
function toFinding(message: string): Finding {
  const [first = '', ...faults] = message.split('\n');
  const lines = faults.length > 0 ? faults : [first];
  const wrong = lines.map((line) => sentencesOf(line)[0] ?? '').join(' ');
  const advice = lines.flatMap((line) => sentencesOf(line).slice(1)).join(' ');
  return failure(faults.length > 0 ? `${first} ${wrong}` : wrong, advice);
}

/** Warns if PostgreSQL allows fewer connections than all processes of the service may open together. */
export async function fewConnections(database: Database, settings: Settings): Promise<Finding | undefined> {
  if (database.kind === 'sqlite') return undefined;
  const limits = Object.values((await connectionLimits.first(database, {})) ?? {}).map(Number);
  const allowed = Math.min(...limits.filter((limit) => limit >= 0));
  const { WORKERS, DATABASE_POOL_MAX } = settings;
  // Each process has one connection more, which receives changes.
  const needed = WORKERS * (DATABASE_POOL_MAX + 1);
  if (needed <= allowed) return undefined;
  return warning(
    `The database allows ${allowed} connections, and the service may open ${needed}.`,
    'Lower DATABASE_POOL_MAX or WORKERS, or raise max_connections or the limit of the user.',
  );
}

/** Checks that the service can use the database. */
export async function checkDatabase(database: Database, settings: Settings): Promise<Finding> {
  try {
    requireFile(database);
    await requireAnswer(database);
    const { pending } = await migrationStatus(database);
    await requireUsable(database, pending.length > 0);
    if (pending.length === 0) await requireComplete(database);
    return (await fewConnections(database, settings)) ?? fine(`${database.place.shown} can be used.`);
  } catch (error) {
    return toFinding(toDatabaseError(database, error).message);
  }
}

/** Checks that the database has all migrations of this version and no others. */
export async function checkMigrations(database: Database): Promise<Finding> {
  const { applied, pending, unknown } = await migrationStatus(database);
  if (unknown.length > 0)
    return failure(
      `The database was made by a newer version of authsvc: it has the unknown migrations ${unknown.join(', ')}.`,
      'Install that version or a newer one.',
    );
  const remedy = `Run ${asTyped('migrate')}, or restart the service.`;
  if (applied.length === 0) return failure('The database is empty.', remedy);
  if (pending.length > 0) return failure(`The database lacks the migrations ${pending.join(', ')}.`, remedy);
  return fine(`All ${applied.length} migrations are applied.`);
}
