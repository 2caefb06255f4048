/** The settings cannot be used; the message lists every bad key. */
export class SettingsError extends Error {
  /** The bad keys, if known. */
  readonly keys: readonly string[];
  constructor(message: string, keys: readonly string[] = []) {
    super(message);
    this.keys = keys;
  }
}
