/** Maximum number of keys in one read. */
const MAX_KEYS = 50;

interface Batch<Row> {
  keys: string[];
  rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Combines calls that follow directly on one another into one read. This includes all calls that waited for the end of the
 * same turn of the event loop. The read starts after the last of these calls.
 *
 * @param readAll finds the rows for several keys; returns each row with its key
 * @returns a function that finds the row for one key
 */
export function readTogether<Row>(
  readAll: (keys: readonly string[]) => Promise<readonly (readonly [key: string, row: Row])[]>,
): (key: string) => Promise<Row | undefined> {
  let batch: Batch<Row> | undefined;
  const begin = (): Batch<Row> => {
    const keys: string[] = [];
    const end = new Promise<void>((done) => process.nextTick(done));
    const rows = end.then(async () => {
      if (batch?.keys === keys) batch = undefined;
      return new Map(await readAll(keys));
    });
    return { keys, rows };
  };
  return async (key) => {
    if (!batch || batch.keys.length === MAX_KEYS) batch = begin();
    batch.keys.push(key);
    return (await batch.rows).get(key);
  };
}
