import type { Change } from './changes.ts';
import type { Query } from './query.ts';

/**
 * Returns a query that also removes the changed row from this process's cache when the change is committed. So after
 * this process has acknowledged a revocation, it never uses an older cached answer. Changes by other processes arrive
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

/** Like `invalidating`, for a query that returns every row that it changed. */
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
