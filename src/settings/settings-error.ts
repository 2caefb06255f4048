/** Says that settings are invalid. The message lists every invalid key. */
export class SettingsError extends Error {
  /** The invalid keys, if known. */
  readonly keys: readonly string[];
  constructor(message: string, keys: readonly string[] = []) {
    super(message);
    this.keys = keys;
  }
}
