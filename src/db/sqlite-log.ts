import { type FileHandle, open } from 'node:fs/promises';

interface Parts {
  rescue(): Promise<void>;
  onFailure(error: unknown): void;
}

/**
 * The write-ahead log of an SQLite file, which SQLite writes without waiting for the disk.
 *
 * Within a commit, SQLite's own wait for the disk blocks the event loop, usually for a millisecond, for ten and more
 * while the disk is busy, and so delays all reads.
 *
 * @param file the log of a database that this process keeps open, and to which something was written
 * @param rescue writes the content of the log to the disk in another way; throws if it can't
 * @param onFailure called each time the sync of the log fails, whether the rescue helped or not
 */
export class WriteAheadLog {
  readonly #file: string;
  readonly #parts: Parts;
  #handle: FileHandle | undefined;
  #isWhole = true;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(file: string, parts: Parts) {
    this.#file = file;
    this.#parts = parts;
  }

  /**
   * Resolves when everything committed before the call is on disk. Calls during a sync share the next one.
   *
   * @throws the error of the disk or of the rescue. After a failure the system may have dropped what it could not
   *   write, so later syncs are not trusted until a rescue has succeeded
   */
  toDisk(): Promise<void> {
    if (this.#current === undefined) {
      this.#current = this.#turn().finally(() => {
        this.#current = undefined;
      });
      return this.#current;
    }
    this.#next ??= this.#current
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.toDisk();
      });
    return this.#next;
  }

  async #turn(): Promise<void> {
    if (this.#isWhole) {
      try {
        this.#handle ??= await open(this.#file, 'r+');
        return await this.#handle.datasync();
      } catch (error) {
        this.#isWhole = false;
        this.#parts.onFailure(error);
      }
    }
    await this.#parts.rescue();
    this.#isWhole = true;
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#current)?.catch(() => undefined);
    await this.#handle?.close();
    this.#handle = undefined;
  }
}
