import { sql } from 'kysely';
import { requireEmptyTarget, requireNoRows } from './empty-target.ts';
import type { Database, Handle } from './handle.ts';
import { DatabaseError } from './reach.ts';
import {
  continueIds,
  highestId,
  insertRows,
  readSnapshot,
  rowsOf,
  Summing,
  sumTable,
  type TableSum,
} from './table-rows.ts';
import { type TableShape, tableShapes } from './table-shapes.ts';
import { takeTransactionLock } from './transaction-lock.ts';

const serverAndDatabase = sql<{ name: string }>`
  select pg_postmaster_start_time()::text || ' ' || current_database() as name`;

/** Returns whether two PostgreSQL URLs point to the same database, even if they are spelled differently. */
export async function isSameDatabase(a: Database, b: Database): Promise<boolean> {
  if (a.kind !== 'postgres' || b.kind !== 'postgres') return false;
  const [first, second] = await Promise.all([a, b].map(({ kysely }) => serverAndDatabase.execute(kysely)));
  return first?.rows[0]?.name === second?.rows[0]?.name;
}

/** The number of the lock that lets only one copy write at a time. */
const LOCK = 71_302_115;

interface Sides {
  from: Handle;
  to: Handle;
}

async function copyTable({ from, to }: Sides, shape: TableShape): Promise<TableSum> {
  const sum = new Summing();
  for await (const rows of rowsOf(from, shape)) {
    sum.add(rows);
    await insertRows(to, shape, rows);
  }
  if (shape.givesIds) await continueIds(to, shape, await highestId(from, shape));
  return sum.end(shape.name);
}

async function copyTables({ from, to }: Sides): Promise<TableSum[]> {
  const shapes = await tableShapes(from);
  await sql`delete from data_keys`.execute(to.kysely);
  const copied: TableSum[] = [];
  for (const shape of shapes) copied.push(await copyTable({ from, to }, shape));
  for (const [at, shape] of shapes.entries()) {
    const there = await sumTable(to, shape);
    if (there.sha256 !== copied[at]?.sha256)
      throw new DatabaseError(`The copy of the table ${shape.name} differs from the original. Nothing was copied.`);
  }
  return copied;
}

/**
 * Copies every row of a database, with its id, into an empty database of either kind.
 *
 * The copy shows the source at one moment, and the source can keep serving. The target is written in one transaction. Each
 * table is read again and compared before the commit. So if anything fails, the target stays empty.
 *
 * @param source database of this version
 * @returns one entry for each table, sorted by name
 * @throws DatabaseError if the target is not empty, or if a copied table differs from its source
 */
export async function copyDatabase(source: Database, target: Database): Promise<TableSum[]> {
  await requireEmptyTarget(target);
  const copied = await readSnapshot(source, (from) =>
    target.transaction(async (to) => {
      await takeTransactionLock(to, LOCK);
      // Another copy may have filled the target after the first check.
      await requireNoRows(target, to);
      return copyTables({ from, to });
    }),
  );
  return copied.sort((a, b) => (a.name < b.name ? -1 : 1));
}
