/** Maximum number of keys in one read. */
const MAX_KEYS = 50;

interface Batch<Row> {
  keys: Set<string>;
  rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Combines calls that directly follow each other, so that they share one read. This includes all calls that waited for
 * the end of the same turn of the event loop. The read starts after the last of these calls. Calls with different
 * values of `subject` never share a read.
 *
 * @param readAll finds the rows for several keys and one subject; returns each row with its key
 * @returns a function that finds the row for one key
 */
export function readTogether<Subject, Row>(
  readAll: (keys: readonly string[], subject: Subject) => Promise<readonly (readonly [key: string, row: Row])[]>,
): (key: string, subject: Subject) => Promise<Row | undefined> {
  const batches = new Map<Subject, Batch<Row>>();
  const begin = (subject: Subject): Batch<Row> => {
    const keys = new Set<string>();
    const end = new Promise<void>((done) => process.nextTick(done));
    const rows = end.then(async () => {
      if (batches.get(subject)?.keys === keys) batches.delete(subject);
      return new Map(await readAll([...keys], subject));
    });
    const batch = { keys, rows };
    batches.set(subject, batch);
    return batch;
  };
  return async (key, subject) => {
    const open = batches.get(subject);
    const batch = open && open.keys.size < MAX_KEYS ? open : begin(subject);
    batch.keys.add(key);
    return (await batch.rows).get(key);
  };
}
