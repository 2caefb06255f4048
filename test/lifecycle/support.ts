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

/** Who ends the processes: the context of a test. */
export interface Owner {
  onTestFinished(stop: () => Promise<void>): void;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of the built program, and what it has said so far. */
export interface Program {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Ends when the process does. */
  readonly ended: Promise<Ending>;
  isRunning(): boolean;
  signal(name: NodeJS.Signals): void;
}

export interface Place extends Pick<FreshDatabase, 'url' | 'folder'> {
  /** Settings as texts. */
  settings?: Record<string, string>;
  /** The file to which standard output goes, instead of a pipe. */
  log?: string;
  /** The file to which standard error goes, instead of a pipe. */
  errors?: string;
  /** Pipes without a reader: their other end is closed. */
  unread?: readonly ('stdout' | 'stderr')[];
  /** Whether `npm start` starts it, in a separate process group as from a terminal. */
  byNpm?: boolean;
  /** The account that runs it, where it is another than that of the tests. */
  account?: Account;
}

export interface Account {
  uid: number;
  gid: number;
}

/** Whether another account can run the program: not from a clone in a folder that is closed to it. */
export const canRun = (account: Account): boolean => spawnSync('test', ['-r', PROGRAM], account).status === 0;

/** A program that serves. */
export interface Service extends Program {
  readonly port: number;
  client(): Client;
  /** Asks it to stop, and gives how it ended. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/** The settings of every place. */
export const defaults = {
  PORT: '0',
  SESSION_SECRET_KEY: 'session-secret-of-the-lifecycle-tests-0123',
  TRUST_PROXY: 'true',
  UPDATE_CHECK: 'off',
};

/** Nothing of the tests' own environment reaches the program, and an empty setting stands for none. */
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

/** What a terminal does with Ctrl-C: every process of the group that `npm start` made gets the signal. */
export function signalGroup({ pid }: Pick<Program, 'pid'>, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // All of them have ended.
  }
}

/** Starts the program with these arguments, in the folder of the place. `input` is all that it finds on its stdin. */
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

/** Waits until something is there; gives undefined when the program ended before, or after a minute. */
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

/** Runs `authsvc serve` until it listens. Throws when it ends instead, with what it said. */
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
  /** What was printed, as JSON. */
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

/** Makes the tables of an empty database by the command line. */
export async function makeDatabase(t: Owner, place: Place): Promise<void> {
  const { code, stderr } = await runCommand(t, place, ['migrate']);
  if (code !== 0) throw new Error(`the database could not be made: ${stderr}`);
}

/** Adds a user by the command line. */
export async function addUser(t: Owner, place: Place, name: string, options: readonly string[] = []) {
  const args = ['user', 'add', name, '--password-stdin', '--json', ...options];
  const { code, stderr } = await runCommand(t, place, args, PASSWORD);
  if (code !== 0) throw new Error(`the user could not be added: ${stderr}`);
  return { username: name, password: PASSWORD };
}

export const writeDotenv = (folder: string, lines: readonly string[]): Promise<void> =>
  writeFile(join(folder, '.env'), `${lines.join('\n')}\n`);
