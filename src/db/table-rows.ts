import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Handle } from './handle.ts';
import type { Column, TableShape } from './table-shapes.ts';

/** Maximum number of rows in memory at a time. */
const PORTION = 500;

/** The values of a row, in the order of the column names. */
export type Row = readonly (string | number | null)[];

/**
 * Shows `work` the database as it is at one moment, however long the reading takes. Writers do not have to wait.
 *
 * @param work gets a handle that can only read
 */
export function readSnapshot<T>({ kind, kysely }: Database, work: (handle: Handle) => Promise<T>): Promise<T> {
  return kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((tx) => work({ kind, kysely: tx, sql, execute: (query) => tx.executeQuery(query), observer: undefined }));
}

const list = (columns: readonly Column[]) => sql.join(columns.map(({ name }) => sql.id(name)));

function toRow({ columns }: TableShape, found: object): Row {
  return columns.map(({ name }) => {
    const value: unknown = Reflect.get(found, name);
    if (value === null || typeof value === 'string' || typeof value === 'number') return value;
    throw new Error(`${name} holds neither text nor a number`);
  });
}

async function* sqliteRows({ kysely }: Handle, shape: TableShape): AsyncGenerator<Row[]> {
  const { name, columns, key } = shape;
  let after: RawBuilder<unknown> = sql``;
  for (;;) {
    const query = sql<object>`
      select ${list(columns)} from ${sql.table(name)} ${after} order by ${list(key)} limit ${sql.lit(PORTION)}`;
    const { rows } = await query.execute(kysely);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => toRow(shape, row));
    const place = sql.join(key.map((column) => sql`${Reflect.get(last, column.name)}`));
    after = sql`where (${list(key)}) > (${place})`;
  }
}

/** Reads by a cursor instead of an index, because no index of PostgreSQL sorts texts by bytes as SQLite does. */
async function* postgresRows({ kysely }: Handle, shape: TableShape): AsyncGenerator<Row[]> {
  const { name, columns, key } = shape;
  const order = sql.join(
    key.map((column) => (column.isText ? sql`${sql.id(column.name)} collate "C"` : sql.id(column.name))),
  );
  await sql`declare all_rows no scroll cursor for
    select ${list(columns)} from ${sql.table(name)} order by ${order}`.execute(kysely);
  for (;;) {
    const { rows } = await sql<object>`fetch ${sql.lit(PORTION)} from all_rows`.execute(kysely);
    if (rows.length === 0) break;
    yield rows.map((row) => toRow(shape, row));
  }
  await sql`close all_rows`.execute(kysely);
}

/**
 * Reads all rows of a table in portions, sorted by primary key. Texts are sorted by code point, so the order is the same on
 * both kinds of database.
 *
 * @param handle transaction that shows the same rows throughout
 */
export const rowsOf = (handle: Handle, shape: TableShape): AsyncGenerator<Row[]> =>
  handle.kind === 'sqlite' ? sqliteRows(handle, shape) : postgresRows(handle, shape);

/** The number of rows of a table, and their checksum. */
export interface TableSum {
  name: string;
  rows: number;
  /** SHA-256 over the rows in the order of their primary key. The same data has the same sum on both kinds of database. */
  sha256: string;
}

/** Counts rows and updates their checksum, portion by portion. */
export class Summing {
  readonly #hash = createHash('sha256');
  #rows = 0;

  add(rows: readonly Row[]): void {
    this.#rows += rows.length;
    for (const row of rows) this.#hash.update(`${JSON.stringify(row)}\n`);
  }

  end(name: string): TableSum {
    return { name, rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}

/** Reads a table and returns its row count and checksum. */
export async function sumTable(handle: Handle, shape: TableShape): Promise<TableSum> {
  const sum = new Summing();
  for await (const rows of rowsOf(handle, shape)) sum.add(rows);
  return sum.end(shape.name);
}

/** Inserts rows unchanged, including their ids. */
export async function insertRows(handle: Handle, { name, columns }: TableShape, rows: readonly Row[]): Promise<void> {
  const overriding = handle.kind === 'postgres' ? sql`overriding system value` : sql``;
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`));
  await sql`insert into ${sql.table(name)} (${list(columns)}) ${overriding} values ${values}`.execute(handle.kysely);
}

/** Returns the highest id that a table has ever assigned, or 0 if it has assigned none. */
export async function highestId({ kind, kysely }: Handle, { name }: TableShape): Promise<number> {
  const query =
    kind === 'sqlite'
      ? sql<{ id: number }>`select coalesce((select seq from sqlite_sequence where name = ${name}), 0) as id`
      : sql<{ id: number }>`
          select greatest(
            coalesce(pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')::regclass), 0),
            (select coalesce(max(id), 0) from ${sql.table(name)})
          ) as id`;
  const { rows } = await query.execute(kysely);
  return Number(rows[0]?.id ?? 0);
}

/** Makes a table assign only ids above `id` from now on. */
export async function continueIds({ kind, kysely }: Handle, { name }: TableShape, id: number): Promise<void> {
  if (id === 0) return;
  if (kind === 'postgres') {
    await sql`select setval(pg_get_serial_sequence(${name}, 'id')::regclass, ${id})`.execute(kysely);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${name}`.execute(kysely);
  await sql`insert into sqlite_sequence (name, seq) values (${name}, ${id})`.execute(kysely);
}
