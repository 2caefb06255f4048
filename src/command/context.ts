import type { Command } from 'commander';
import type { DataSealer } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import type { Actor } from '../events/actor.ts';
import type { Clock } from '../lib/clock.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import type { Settings } from '../settings/table.ts';

/** What a command works with. */
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
   * The password that the person gives: all of standard input, or typed twice without being shown. `complaintOf` says
   * what is wrong with one that was typed.
   */
  readPassword(fromStdin: boolean, complaintOf: (password: string) => string | undefined): Promise<string>;
  /** Asks a person at a terminal; throws unless the answer is yes. */
  confirm(question: string): Promise<void>;
  /** For a command that goes on: writes to standard output. Answers false if nobody reads any more. */
  print(text: string): Promise<boolean>;
  /** For a command that goes on: aborted by SIGINT and SIGTERM, which do not end the process then. */
  stopSignal(): AbortSignal;
  /** A remark for the person, on stderr. */
  warn(text: string): void;
}

/** What a command has to say: one JSON value for programs, lines for people. */
export interface CommandResult {
  json: unknown;
  lines: string[];
  /** What ends each line; a line feed if it is not given. */
  lineEnd?: string;
  /** Left out: 0. */
  exitCode?: number;
}

/** The result is undefined where a command has printed everything itself. */
type Work<Args extends unknown[]> = (services: CommandServices, ...args: Args) => Promise<CommandResult | undefined>;

type BareWork<Args extends unknown[]> = (
  parts: Pick<CommandServices, 'settings' | 'warn'>,
  ...args: Args
) => Promise<CommandResult>;

/** What a feature needs to add its commands. */
export interface CommandContext {
  /**
   * Makes the action of a command: opens the database, does the work, prints the result (as JSON with --json), and
   * turns a refusal into its sentence and exit code.
   */
  action<Args extends unknown[]>(command: Command, work: Work<Args>): (...args: Args) => Promise<void>;
  /** The same for a command that does not work on the database of the settings. */
  bareAction<Args extends unknown[]>(command: Command, work: BareWork<Args>): (...args: Args) => Promise<void>;
}
