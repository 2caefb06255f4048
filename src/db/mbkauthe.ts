import { sql } from 'kysely';
import type { Handle } from './handle.ts';

/** The tables of mbkauthe that we read, with the column that names the user. */
const ownedTables = {
  TwoFA: 'UserName',
  user_github: 'user_name',
  user_google: 'user_name',
  ApiTokens: 'UserName',
} as const;

type OwnedTable = keyof typeof ownedTables;

/** A row with the columns that its version has. On PostgreSQL instants and JSON come as in JSON, on SQLite as stored. */
export type FormerRow = ReadonlyMap<string, unknown>;

const toRows = (rows: readonly object[]): FormerRow[] =>
  rows.map((row) => {
    const whole: unknown = Reflect.get(row, 'whole_row');
    return new Map(Object.entries(typeof whole === 'object' && whole !== null ? whole : row));
  });

/** JSON of the whole row, so that instants keep their time zone, independent of this process. */
const everything = ({ kind }: Handle) => (kind === 'postgres' ? sql`to_jsonb(t) as whole_row` : sql`t.*`);

/** Whether a database has a table of this name. */
export async function hasTable({ kind, kysely }: Handle, name: string): Promise<boolean> {
  const query =
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = ${name}`
      : sql`select 1 where to_regclass(quote_ident(${name})) is not null`;
  return (await query.execute(kysely)).rows.length > 0;
}

/** Some rows of a table in the order of their ids. */
export async function formerRows(handle: Handle, table: string, after: number, most: number): Promise<FormerRow[]> {
  const { rows } = await sql<object>`
    select ${everything(handle)} from ${sql.table(table)} t where t.id > ${after} order by t.id limit ${sql.lit(most)}`.execute(
    handle.kysely,
  );
  return toRows(rows);
}

/**
 * The rows of a table that belong to these users, in the order of their ids if they have ids; none without the table.
 */
export async function rowsOfUsers(handle: Handle, table: OwnedTable, names: readonly string[]): Promise<FormerRow[]> {
  if (names.length === 0 || !(await hasTable(handle, table))) return [];
  const order = table === 'TwoFA' ? sql`` : sql`order by t.id`;
  const { rows } = await sql<object>`
    select ${everything(handle)} from ${sql.table(table)} t
    where ${sql.ref(`t.${ownedTables[table]}`)} in (${sql.join(names)}) ${order}`.execute(handle.kysely);
  return toRows(rows);
}
