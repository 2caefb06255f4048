import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '../support/client.ts';
import type { FreshDatabase } from '../support/each-database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist/main.js');
const PATIENCE_MS = 60_000;

/** The context of a test. When the test ends, it stops the processes. */
export interface Owner {
  onTestFinished(stop: () => Promise<void>): void;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of the built program, and its output so far. */
export interface Program {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves when the process ends. */
  readonly ended: Promise<Ending>;
  isRunning(): boolean;
  signal(name: NodeJS.Signals): void;
}

export interface Place extends Pick<FreshDatabase, 'url' | 'folder'> {
  /** Settings as texts. */
  settings?: Record<string, string>;
  /** The file for standard output, in place of a pipe. */
  log?: string;
  /** The file for standard error, in place of a pipe. */
  errors?: string;
  /** The outputs whose pipe has no reader, because its other end is closed. */
  unread?: readonly ('stdout' | 'stderr')[];
  /** Whether the program is started by `npm start`, in a separate process group as from a terminal. */
  byNpm?: boolean;
  /** The account that runs the program; undefined means the account of the tests. */
  account?: Account;
}

export interface Account {
  uid: number;
  gid: number;
}

/**
 * Returns whether another account can run the program. It cannot if the clone is in a folder that the account may not
 * open.
 */
export const canRun = (account: Account): boolean => spawnSync('test', ['-r', PROGRAM], account).status === 0;

/** A program that runs as a service. */
export interface Service extends Program {
  readonly port: number;
  client(): Client;
  /** Sends a signal to stop the service, and returns how it ended. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/** Settings that every service of these tests gets. */
export const defaults = {
  PORT: '0',
  SESSION_SECRET_KEY: 'session-secret-of-the-lifecycle-tests-0123',
  TRUST_PROXY: 'true',
  UPDATE_CHECK: 'off',
};

/**
 * Creates the environment of the program. It contains nothing of the tests' own environment except PATH and HOME. An
 * empty setting removes the variable.
 */
function environment({ url, settings }: Place): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const given = Object.entries({ HOME, DATABASE_URL: url, ...defaults, ...settings }).filter(
    ([, value]) => value !== '',
  );
  return { PATH, ...Object.fromEntries(given) };
}

function toProgram(child: ChildProcess, log: string | undefined): Program {
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  child.stdin?.on('error', () => undefined);
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode }));
  return {
    pid: child.pid ?? 0,
    stdout: () => (log === undefined ? said.stdout : readFileSync(log, 'utf8')),
    stderr: () => said.stderr,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    signal: (name) => void child.kill(name),
  };
}

/** Does what a terminal does on Ctrl-C: sends the signal to every process of the group that `npm start` has created. */
export function signalGroup({ pid }: Pick<Program, 'pid'>, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // All processes of the group have ended.
  }
}

/** Starts the program with these arguments, in the folder of the place. `input` is the whole content of its stdin. */
export function runProgram(t: Owner, place: Place, args: readonly string[], input: string | Uint8Array = ''): Program {
  const { folder, log, errors, unread = [], byNpm = false } = place;
  const [output, complaints] = [log, errors].map((file) => (file === undefined ? 'pipe' : openSync(file, 'a')));
  const [command, ...given] = byNpm ? ['npm', 'start', '--', ...args.slice(1)] : [process.execPath, PROGRAM, ...args];
  const options = { cwd: byNpm ? ROOT : folder, env: environment(place), detached: byNpm, ...place.account };
  const child = spawn(command, given, { ...options, stdio: ['pipe', output, complaints] });
  for (const file of [output, complaints]) if (typeof file === 'number') closeSync(file);
  for (const stream of unread) child[stream]?.destroy();
  child.stdin?.end(input);
  const program = toProgram(child, log);
  t.onTestFinished(async () => {
    if (byNpm) signalGroup(program, 'SIGKILL');
    program.signal('SIGKILL');
    await program.ended;
  });
  return program;
}

/** Waits until `look` returns a value. Returns undefined if the program ends before that, or after a minute. */
async function waitFor<T>(program: Program, look: () => T | undefined): Promise<T | undefined> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const found = look();
    if (found !== undefined || !program.isRunning()) return found;
    await sleep(10);
  }
  return undefined;
}

function portIn(log: string): number | undefined {
  const [, port] = /"msg":"listening at http:\/\/[^"]*:(\d+)"/.exec(log) ?? [];
  return port === undefined ? undefined : Number(port);
}

/** Runs `authsvc serve` and waits until it listens. If it ends instead, throws an Error with its output. */
export async function startService(t: Owner, place: Place, args: readonly string[] = []): Promise<Service> {
  const program = runProgram(t, place, ['serve', ...args]);
  const port = await waitFor(program, () => portIn(program.stdout()));
  if (port === undefined) {
    const state = program.isRunning() ? 'it is still at it' : JSON.stringify(await program.ended);
    throw new Error(`the service did not start (${state}): ${program.stderr()}${program.stdout()}`);
  }
  return {
    ...program,
    port,
    client: () => new Client(() => port),
    stop: (name = 'SIGTERM') => {
      program.signal(name);
      return program.ended;
    },
  };
}

export interface Outcome extends Ending {
  stdout: string;
  stderr: string;
  /** The output, parsed as JSON. */
  json: unknown;
}

/** Runs one command to its end. */
export async function runCommand(
  t: Owner,
  place: Place,
  args: readonly string[],
  input?: string | Uint8Array,
): Promise<Outcome> {
  const program = runProgram(t, place, args, input);
  const { code, signal } = await program.ended;
  const stdout = program.stdout();
  return { code, signal, stdout, stderr: program.stderr(), json: parse(stdout) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const PASSWORD = 'right-horse-7';

/** Creates the tables of an empty database with the command line. */
export async function makeDatabase(t: Owner, place: Place): Promise<void> {
  const { code, stderr } = await runCommand(t, place, ['migrate']);
  if (code !== 0) throw new Error(`the database could not be made: ${stderr}`);
}

/** Adds a user with the command line. */
export async function addUser(t: Owner, place: Place, name: string, options: readonly string[] = []) {
  const args = ['user', 'add', name, '--password-stdin', '--json', ...options];
  const { code, stderr } = await runCommand(t, place, args, PASSWORD);
  if (code !== 0) throw new Error(`the user could not be added: ${stderr}`);
  return { username: name, password: PASSWORD };
}

export const writeDotenv = (folder: string, lines: readonly string[]): Promise<void> =>
  writeFile(join(folder, '.env'), `${lines.join('\n')}\n`);
