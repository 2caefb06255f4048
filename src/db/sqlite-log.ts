import { type FileHandle, open } from 'node:fs/promises';

interface Parts {
  rescue(): Promise<void>;
  onFailure(error: unknown): void;
}

/**
 * Syncs the write-ahead log of an SQLite file to the disk, outside of SQLite.
 *
 * SQLite itself would wait for the disk within the commit. That blocks the event loop, and so all reads: usually for a
 * millisecond, and for ten or more while the disk is busy.
 *
 * @param file the log of a database that this process has open and has written to
 * @param rescue writes the content of the log to the disk in another way; throws if it can't
 * @param onFailure called each time a sync of the log fails, even if the rescue succeeds
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
   * Resolves when everything that was committed before the call is on the disk. Calls during a sync share the next sync.
   *
   * @throws the error of the disk or of the rescue. After an error the operating system may have dropped unwritten data, so a
   *   later sync proves nothing. Only a successful rescue does
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
