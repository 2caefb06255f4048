import type { CreateTableBuilder } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** The primary key `id`: growing numbers that are never reused, not even after a removal. */
export function idColumn<T extends string>(kind: DatabaseKind, table: CreateTableBuilder<T>) {
  return kind === 'sqlite'
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity());
}
