import type { Command } from 'commander';
import type { DataSealer } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import type { Actor } from '../events/actor.ts';
import type { Clock } from '../lib/clock.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import type { Settings } from '../settings/table.ts';

/** The services that a command can use. */
export interface CommandServices {
  settings: Settings;
  database: Database;
  clock: Clock;
  passwords: PasswordHasher;
  /** Who runs the command. Events of the command have this actor. */
  actor: Actor;
  /** Opens the data keys. Throws a DatabaseError if the session secrets open none of them. */
  dataSealer(): Promise<DataSealer>;
  /** Opens the data keys without creating any. Returns undefined if the session secrets open none of them. */
  readDataSealer(): Promise<DataSealer | undefined>;
  /**
   * Reads a password: either all of standard input, or twice from the terminal without showing it. For a typed password,
   * `complaintOf` returns what is wrong with it, or undefined.
   */
  readPassword(fromStdin: boolean, complaintOf: (password: string) => string | undefined): Promise<string>;
  /** Asks a person at a terminal to confirm. Throws unless the answer is yes. */
  confirm(question: string): Promise<void>;
  /** Writes to standard output, for a command that keeps running. Returns false if no one reads the output any more. */
  print(text: string): Promise<boolean>;
  /** Returns a signal that SIGINT and SIGTERM abort instead of ending the process, for a command that keeps running. */
  stopSignal(): AbortSignal;
  /** Writes a warning to stderr. */
  warn(text: string): void;
}

/** The result of a command: one JSON value for programs, and lines for people. */
export interface CommandResult {
  json: unknown;
  lines: string[];
  /** The end of each line. The default is a line feed. */
  lineEnd?: string;
  /** The exit code. The default is 0. */
  exitCode?: number;
}

/** The work of a command. It returns undefined if it has already printed its result. */
type Work<Args extends unknown[]> = (services: CommandServices, ...args: Args) => Promise<CommandResult | undefined>;

type BareWork<Args extends unknown[]> = (
  parts: Pick<CommandServices, 'settings' | 'warn'>,
  ...args: Args
) => Promise<CommandResult>;

/** Functions with which a feature adds its commands. */
export interface CommandContext {
  /**
   * Creates the action of a command. The action opens the database, runs the work and prints the result, as JSON with
   * --json. If a rule refuses, it prints the reason and sets the exit code.
   */
  action<Args extends unknown[]>(command: Command, work: Work<Args>): (...args: Args) => Promise<void>;
  /** Like `action`, for a command that reads the settings itself or needs none. */
  plainAction(command: Command, work: () => Promise<CommandResult>): () => Promise<void>;
  /** Like `action`, for a command that does not use the database of the settings. */
  bareAction<Args extends unknown[]>(command: Command, work: BareWork<Args>): (...args: Args) => Promise<void>;
}
