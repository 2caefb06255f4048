import { sql } from 'kysely';
import type { Handle } from './handle.ts';

/** The tables of mbkauthe that we read, and the column of each that contains the user's name. */
const ownedTables = {
  TwoFA: 'UserName',
  user_github: 'user_name',
  user_google: 'user_name',
  ApiTokens: 'UserName',
} as const;

type OwnedTable = keyof typeof ownedTables;

/**
 * A row with the columns of its version. On PostgreSQL, instants and JSON have the form that they have in JSON. On SQLite
 * they have the form in which they are stored.
 */
export type FormerRow = ReadonlyMap<string, unknown>;

const toRows = (rows: readonly object[]): FormerRow[] =>
  rows.map((row) => {
    const whole: unknown = Reflect.get(row, 'whole_row');
    return new Map(Object.entries(typeof whole === 'object' && whole !== null ? whole : row));
  });

/** Selects whole rows. PostgreSQL returns them as JSON, so that instants keep their own time zone, not that of this process. */
const everything = ({ kind }: Handle) => (kind === 'postgres' ? sql`to_jsonb(t) as whole_row` : sql`t.*`);

/** Returns whether a database has a table with this name. */
export async function hasTable({ kind, kysely }: Handle, name: string): Promise<boolean> {
  const query =
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = ${name}`
      : sql`select 1 where to_regclass(quote_ident(${name})) is not null`;
  return (await query.execute(kysely)).rows.length > 0;
}

/** Returns at most `most` rows of a table whose ids are above `after`, in the order of their ids. */
export async function formerRows(handle: Handle, table: string, after: number, most: number): Promise<FormerRow[]> {
  const { rows } = await sql<object>`
    select ${everything(handle)} from ${sql.table(table)} t where t.id > ${after} order by t.id limit ${sql.lit(most)}`.execute(
    handle.kysely,
  );
  return toRows(rows);
}

/**
 * Returns the rows of a table that belong to these users, sorted by id if the table has ids. Returns none if the table does
 * not exist.
 */
export async function rowsOfUsers(handle: Handle, table: OwnedTable, names: readonly string[]): Promise<FormerRow[]> {
  if (names.length === 0 || !(await hasTable(handle, table))) return [];
  const order = table === 'TwoFA' ? sql`` : sql`order by t.id`;
  const { rows } = await sql<object>`
    select ${everything(handle)} from ${sql.table(table)} t
    where ${sql.ref(`t.${ownedTables[table]}`)} in (${sql.join(names)}) ${order}`.execute(handle.kysely);
  return toRows(rows);
}
