/** How many keys one read has. */
const MAX_KEYS = 50;

interface Batch<Row> {
  keys: string[];
  rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Makes one read of the questions that are asked right after each other, as all those are that waited for the end of the
 * same turn of the event loop. The read begins after the last of them.
 *
 * @param readAll finds the rows of several keys, each with its key
 * @returns finds the row of one key
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
