import type { Command } from 'commander';
import type { DataSealer } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import type { Actor } from '../events/actor.ts';
import type { Clock } from '../lib/clock.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import type { Settings } from '../settings/table.ts';

/** The services of a command. */
export interface CommandServices {
  settings: Settings;
  database: Database;
  clock: Clock;
  passwords: PasswordHasher;
  /** Who runs the command: the actor of its events. */
  actor: Actor;
  /** Opens the data keys. Throws DatabaseError if the session secrets open none of them. */
  dataSealer(): Promise<DataSealer>;
  /** Opens the data keys and changes nothing; undefined if the session secrets open none of them. */
  readDataSealer(): Promise<DataSealer | undefined>;
  /**
   * Reads a password: all of standard input, or typed twice without being shown. `complaintOf` checks a typed password
   * and returns what is wrong with it.
   */
  readPassword(fromStdin: boolean, complaintOf: (password: string) => string | undefined): Promise<string>;
  /** Asks a person at a terminal; throws unless the answer is yes. */
  confirm(question: string): Promise<void>;
  /** For a command that keeps running: writes to standard output. Returns false if the reader has gone. */
  print(text: string): Promise<boolean>;
  /** For a command that keeps running: aborted by SIGINT and SIGTERM, which then do not end the process. */
  stopSignal(): AbortSignal;
  /** A warning for the person, on stderr. */
  warn(text: string): void;
}

/** The result of a command: one JSON value for programs, lines for people. */
export interface CommandResult {
  json: unknown;
  lines: string[];
  /** The end of each line; the default is a line feed. */
  lineEnd?: string;
  /** The default is 0. */
  exitCode?: number;
}

/** The result is undefined if the command has printed everything itself. */
type Work<Args extends unknown[]> = (services: CommandServices, ...args: Args) => Promise<CommandResult | undefined>;

type BareWork<Args extends unknown[]> = (
  parts: Pick<CommandServices, 'settings' | 'warn'>,
  ...args: Args
) => Promise<CommandResult>;

/** What a feature needs to add its commands. */
export interface CommandContext {
  /**
   * Creates the action of a command: opens the database, runs the work, prints the result (as JSON with --json), and
   * turns a refusal into its sentence and exit code.
   */
  action<Args extends unknown[]>(command: Command, work: Work<Args>): (...args: Args) => Promise<void>;
  /** The same for a command that reads the settings itself, or none. */
  plainAction(command: Command, work: () => Promise<CommandResult>): () => Promise<void>;
  /** The same for a command that does not use the database of the settings. */
  bareAction<Args extends unknown[]>(command: Command, work: BareWork<Args>): (...args: Args) => Promise<void>;
}
