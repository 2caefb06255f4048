import { type DataSealer, readDataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';

/** Returns a function that opens the data keys on its first call, which may be in a transaction, and caches them. */
export function lazyDataSealer(secrets: () => readonly string[]): (handle: Handle) => Promise<DataSealer> {
  let kept: DataSealer | undefined;
  return async (handle) => {
    kept ??= await readDataSealer(handle, secrets());
    if (!kept) throw new Error('SESSION_SECRET_KEY opens no data key, so nothing can be put into the outbox');
    return kept;
  };
}
