import { fromCursor, ListParameters, type ListQuery, type Position, toCursor } from './list-query.ts';

/** A page of a list; `next` is the cursor of the following page, or null on the last page. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}

interface Listing {
  name: string;
  filter: object;
  limit: number;
}

/** Converts rows to a page. The query must read one row more than the page size, which shows whether another page follows. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  { name, filter, limit }: Listing,
  { item, position }: { item(row: Row): Item; position(row: Row): Position },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items: shown.map(item), next: hasMore ? toCursor(name, filter, position(last)) : null };
}

/**
 * Returns a page of entries that an operator registers by hand. There are so few that the query reads them all.
 *
 * @throws AppError FIELD_INVALID with the field; CURSOR_INVALID
 */
export function pageOfFew<Row extends { id: number; disabledAt: number | null }>(
  name: string,
  rows: readonly Row[],
  query: ListQuery,
): Page<Row> {
  const parameters = new ListParameters(query);
  const filter = { isActive: parameters.boolean('is_active') };
  const limit = parameters.limit();
  const after = fromCursor(name, filter, parameters.text('after'));
  const found = rows
    .filter((row) => filter.isActive === undefined || (row.disabledAt === null) === filter.isActive)
    .filter((row) => after === undefined || row.id > Number(after.id))
    .sort((a, b) => a.id - b.id);
  return toPage(found, { name, filter, limit }, { item: (row) => row, position: ({ id }) => ({ value: null, id }) });
}
