import { sql } from 'kysely';
import type { Handle } from './handle.ts';

export interface Column {
  name: string;
  isText: boolean;
}

/** A table as the database's catalog describes it. */
export interface TableShape {
  name: string;
  /** Sorted by name. */
  columns: readonly Column[];
  /** The columns of the primary key, in their order. */
  key: readonly Column[];
  /** Whether the database assigns the ids of new rows. */
  givesIds: boolean;
}

interface ColumnRow {
  table_name: string;
  name: string;
  type: string;
  /** Position in the primary key, starting at 1; 0 if the column is not part of it. */
  key_place: number;
  gives_ids: number;
}

interface Reference {
  table_name: string;
  refers_to: string;
}

/** Tables that a copy leaves out: request counters, the list of applied migrations, and tables that triggers fill. */
const LEFT_OUT = ['rate_limits', 'kysely_migration', 'kysely_migration_lock', 'user_search', 'row_counts'];

/** The tables in which SQLite stores its full-text index. */
export const SEARCH_PARTS = ['data', 'idx', 'docsize', 'config'].map((part) => `user_search_${part}`);

const columnRows = {
  sqlite: sql<ColumnRow>`
    select m.name as table_name, c.name, c.type, c.pk as key_place,
      case when m.sql like '%autoincrement%' and c.pk = 1 then 1 else 0 end as gives_ids
    from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite#_%' escape '#'`,
  postgres: sql<ColumnRow>`
    select t.relname as table_name, c.attname as name, format_type(c.atttypid, null) as type,
      coalesce(array_position(k.indkey::int2[], c.attnum) + 1, 0) as key_place,
      case when c.attidentity = '' then 0 else 1 end as gives_ids
    from pg_class t
    join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    left join pg_index k on k.indrelid = t.oid and k.indisprimary
    where t.relkind in ('r', 'p')
      and t.relnamespace = (select relnamespace from pg_class where oid = to_regclass('kysely_migration'))`,
};

const references = {
  sqlite: sql<Reference>`
    select m.name as table_name, f."table" as refers_to
    from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
  postgres: sql<Reference>`
    select t.relname as table_name, o.relname as refers_to
    from pg_constraint f join pg_class t on t.oid = f.conrelid join pg_class o on o.oid = f.confrelid
    where f.contype = 'f'`,
};

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

function toShape(name: string, rows: readonly ColumnRow[]): TableShape {
  const toColumn = (row: ColumnRow): Column => ({ name: row.name, isText: row.type.toLowerCase() === 'text' });
  const keyed = rows.filter((row) => row.key_place > 0).sort((a, b) => a.key_place - b.key_place);
  const columns = rows.map(toColumn).sort(byName);
  return {
    name,
    columns,
    key: keyed.length > 0 ? keyed.map(toColumn) : columns,
    givesIds: rows.some((row) => row.gives_ids === 1),
  };
}

/** Sorts tables so that each comes after the tables that it references. */
function inOrder(shapes: readonly TableShape[], found: readonly Reference[]): TableShape[] {
  const ordered: TableShape[] = [];
  const visit = (shape: TableShape, above: readonly string[]): void => {
    if (ordered.includes(shape) || above.includes(shape.name)) return;
    for (const { table_name, refers_to } of found) {
      const other = table_name === shape.name ? shapes.find(({ name }) => name === refers_to) : undefined;
      if (other) visit(other, [...above, shape.name]);
    }
    ordered.push(shape);
  };
  for (const shape of shapes) visit(shape, []);
  return ordered;
}

const isLeftOut = (name: string): boolean => LEFT_OUT.includes(name) || SEARCH_PARTS.includes(name);

/** Returns the tables that contain data, each after the tables that it references. */
export async function tableShapes({ kind, kysely }: Handle): Promise<TableShape[]> {
  const { rows } = await columnRows[kind].execute(kysely);
  const names = [...new Set(rows.map((row) => row.table_name))].filter((name) => !isLeftOut(name)).sort();
  const shapes = names.map((name) =>
    toShape(
      name,
      rows.filter((row) => row.table_name === name),
    ),
  );
  return inOrder(shapes, (await references[kind].execute(kysely)).rows);
}
