import type { CreateTableBuilder } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** Adds the primary key `id`: growing numbers. A number is never used again, even after its row was removed. */
export function idColumn<T extends string>(kind: DatabaseKind, table: CreateTableBuilder<T>) {
  return kind === 'sqlite'
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity());
}
