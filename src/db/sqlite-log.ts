import { type FileHandle, open } from 'node:fs/promises';

interface Parts {
  rescue(): Promise<void>;
  onFailure(error: unknown): void;
}

/**
 * The write-ahead log of an SQLite file, which SQLite writes without waiting for the disk.
 *
 * Needs   file: the log of a database that this process keeps open, and to which something was written.
 *         rescue: brings to the disk by another way what the log holds; throws when it can't. onFailure: told of each
 *         time that the disk did not take the log, whether the rescue helped or not.
 * Why     within a commit, SQLite's own wait for the disk stops the event loop: a millisecond mostly, ten and more while
 *         the disk is busy, and with it everybody who only reads.
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
   * Resolves when all that was committed before the call is on the disk. Those who ask while the disk is at work share
   * its next turn.
   *
   * Throws  what the disk or the rescue says. After a failure the system may have dropped what it could not write, so a
   *         later turn does not count before a rescue has succeeded.
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
