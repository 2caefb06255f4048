import { createHash } from 'node:crypto';
import { toPrintable } from '../lib/plain-text.ts';
import type { LineRefusal } from './line-refusal.ts';

/** A set of texts. It stores only 96 bits of a hash per text, so that long texts need only a few bytes. */
export class Seen {
  readonly #hashes = new Set<string>();

  /** Returns the first 96 bits of the hash, so that even among a million texts no two are mistaken for each other. */
  #hashOf(text: string): string {
    return createHash('sha256').update(text).digest().toString('latin1', 0, 12);
  }

  has(text: string): boolean {
    return this.#hashes.has(this.#hashOf(text));
  }

  /** @returns whether the text was not in the set before */
  add(text: string): boolean {
    const hash = this.#hashOf(text);
    const isNew = !this.#hashes.has(hash);
    this.#hashes.add(hash);
    return isNew;
  }
}

export type Outcome = 'created' | 'updated' | 'unchanged';
type Kind = 'users' | 'applications' | 'profiles';

/** The place of a record in the imported data: a line of a file, or a row of a table. */
export type Origin = { line: number } | { table: string; id: number };

const MAX_LISTED = 100;
const MAX_WARNINGS = 100;

const placeOf = (origin: Origin): string => ('line' in origin ? `line ${origin.line}` : `${origin.table} ${origin.id}`);

const placeNumber = (origin: Origin): number => ('line' in origin ? origin.line : origin.id);

interface RunOptions {
  isDry: boolean;
  /** Whether records update existing users, applications and profiles. */
  updates: boolean;
  /** Prints a line for the operator on standard error. */
  warn(text: string): void;
}

/** The state of one import: its options, the records so far, and the results. */
export class ImportRun {
  readonly isDry: boolean;
  readonly updates: boolean;
  /** Names and keys of the records so far. */
  readonly names = new Seen();
  /** Links, tokens and passkeys that a dry run would have written. */
  readonly claims = new Seen();
  /** The change in the number of active superadmins that a dry run would have made. */
  superadmins = 0;
  lines = 0;
  importedTokens = 0;
  expiredTokens = 0;
  /** Usernames of active superadmins that the import has created. */
  readonly newSuperadmins: string[] = [];
  readonly counts: Record<Kind, Record<Outcome, number>> = {
    users: { created: 0, updated: 0, unchanged: 0 },
    applications: { created: 0, updated: 0, unchanged: 0 },
    profiles: { created: 0, updated: 0, unchanged: 0 },
  };
  readonly hashes: Record<string, number> = {};
  readonly #warnings = new Set<string>();
  readonly #warn: (text: string) => void;
  readonly #refusals: (Origin & { code: string; field: string | null; message: string })[] = [];
  #refused = 0;

  constructor({ isDry, updates, warn }: RunOptions) {
    this.isDry = isDry;
    this.updates = updates;
    this.#warn = warn;
  }

  get refused(): number {
    return this.#refused;
  }

  count(kind: Kind, outcome: Outcome, scheme?: string): void {
    this.counts[kind][outcome] += 1;
    if (scheme !== undefined) this.hashes[scheme] = (this.hashes[scheme] ?? 0) + 1;
  }

  refuse(origin: Origin, { code, field, message }: LineRefusal): void {
    this.#refused += 1;
    this.#refusals.push({ ...origin, code, field, message });
    // Sorted, because a user that was waiting to be written together with others may be refused after a later line.
    this.#refusals.sort((a, b) => placeNumber(a) - placeNumber(b)).splice(MAX_LISTED);
    this.#warn(toPrintable(`${placeOf(origin)}: ${code} ${field === null ? '' : `${field}: `}${message}`));
  }

  /**
   * Adds a warning about a record to the report, unless it is already there. Beyond the limit, adds only that there
   * are more warnings.
   */
  warnOnce(text: string): void {
    const isListed = this.#warnings.size < MAX_WARNINGS || this.#warnings.has(text);
    this.#warnings.add(isListed ? text : 'There are more warnings than this report lists.');
  }

  /** Adds a warning about the whole import to the report. */
  warnOfAll(text: string): void {
    this.#warnings.add(text);
  }

  report() {
    return {
      dry_run: this.isDry,
      ...this.counts,
      hashes: this.hashes,
      refused: this.#refused,
      refusals: this.#refusals,
      warnings: [...this.#warnings],
    };
  }

  /** Returns the lines of the report for people. */
  describe(): string[] {
    const kinds = Object.entries(this.counts).filter(([, counts]) => Object.values(counts).some((count) => count > 0));
    return [
      ...(this.isDry ? ['Dry run: nothing was written.'] : []),
      ...kinds.map(
        ([kind, { created, updated, unchanged }]) =>
          `${kind}: ${created} created, ${updated} updated, ${unchanged} unchanged`,
      ),
      ...(Object.keys(this.hashes).length > 0
        ? [
            `passwords: ${Object.entries(this.hashes)
              .map(([scheme, count]) => `${count} ${scheme}`)
              .join(', ')}`,
          ]
        : []),
      `refused: ${this.#refused}`,
      ...[...this.#warnings].map((text) => `Warning: ${toPrintable(text)}`),
    ];
  }
}
