import type { Change } from './changes.ts';
import type { Query } from './query.ts';

/**
 * A query that removes the row that it changes from the cache of its own process, as soon as the change is committed.
 * So this process never answers from memory what it has acknowledged as revoked. Changes by other processes arrive
 * through the change feed.
 */
export function invalidating<P, Row>(query: Query<P, Row>, changeOf: (params: P) => Change): Query<P, Row> {
  const all: typeof query.all = async (handle, params) => {
    const rows = await query.all(handle, params);
    handle.tell?.(changeOf(params));
    return rows;
  };
  return {
    name: query.name,
    all,
    first: async (handle, params) => (await all(handle, params))[0],
    run: async (handle, params) => {
      const count = await query.run(handle, params);
      if (count > 0) handle.tell?.(changeOf(params));
      return count;
    },
  };
}

/** The same for a query that returns each row that it changes. */
export function invalidatingEach<P, Row>(query: Query<P, Row>, changeOf: (row: Row) => Change): Query<P, Row> {
  const all: typeof query.all = async (handle, params) => {
    const rows = await query.all(handle, params);
    for (const row of rows) handle.tell?.(changeOf(row));
    return rows;
  };
  return {
    name: query.name,
    all,
    first: async (handle, params) => (await all(handle, params))[0],
    run: async (handle, params) => (await all(handle, params)).length,
  };
}
