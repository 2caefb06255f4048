// Starts systems, each in its own process, and signs browsers in to them.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { Shot } from './load.ts';
import { type Meter, meterOf } from './processes.ts';
import { browserGet, type Post, programPost, type System } from './systems.ts';

const PATIENCE_MS = 120_000;

/** The time from the start of a process to its first reply, and the processor time that it used until then. */
export interface Start {
  ms: number;
  cpuMs: number;
}

/** A system that is running, with the requests that can be sent to it. */
export interface Running {
  system: System;
  title: string;
  port: number;
  pid: number;
  meter: Meter;
  shots: { check?: Shot; application?: Shot; verify?: Shot; token?: Shot; login?: Shot };
  start: Start;
  /** Starts a second process on the same database and stops it again. */
  startOnceMore(): Promise<Start>;
  stop(): Promise<void>;
}

export interface Place {
  folder: string;
  /** The URL of a PostgreSQL server on which new databases are created. */
  postgresUrl: string;
}

export const titleOf = ({ name, store }: System): string => (store === 'none' ? name : `${name}, ${store}`);

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

export async function databaseFor(system: System, { folder, postgresUrl }: Place): Promise<string> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  if (system.store !== 'PostgreSQL') return `sqlite:${join(folder, `${name}.sqlite`)}`;
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const reply = await fetch(url).catch(() => undefined);
    await reply?.arrayBuffer();
    if (reply?.status === 200) return;
    await wait(5);
  }
  throw new Error('the server did not get ready');
}

/** Starts the process and returns it once it has replied with 200. Its output goes to a file. */
export async function launch(system: System, env: Record<string, string>, folder: string) {
  const port = await freePort();
  const log = openSync(join(folder, `${titleOf(system).replace(/\W+/g, '-')}.txt`), 'a');
  const begin = performance.now();
  const child = spawn(process.execPath, system.args, {
    env: { ...env, PORT: String(port) },
    cwd: folder,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await ended;
  };
  const { pid = 0 } = child;
  await untilReady(child, `http://127.0.0.1:${port}${system.readyPath}`).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const meter = meterOf(pid);
  return { port, pid, meter, stop, start: { ms: performance.now() - begin, cpuMs: meter() / 1000 } };
}

const urlOf = ({ port }: { port: number }): string => `http://127.0.0.1:${port}`;

type Jar = Map<string, string>;

/** Signs one browser in and returns all its cookies. */
async function signIn(url: string, { path, body, expect, origin }: Post, number: number): Promise<Jar> {
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': `192.168.0.${number}`,
    ...(origin ? { origin } : {}),
  };
  const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await reply.text();
  if (reply.status !== 200 || !text.includes(expect)) throw new Error(`the sign-in failed: ${reply.status} ${text}`);
  const pairs = reply.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** Creates one API token for each browser. */
async function makeTokens(url: string, { path, body }: Post, cookies: readonly string[]): Promise<string[]> {
  const tokens: string[] = [];
  for (const cookie of cookies) {
    const headers = { 'content-type': 'application/json', cookie };
    const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const made: { token?: string } = JSON.parse(await reply.text());
    if (!made.token) throw new Error(`no token was made: ${reply.status}`);
    tokens.push(made.token);
  }
  return tokens;
}

async function shotsOf(system: System, url: string, browsers: number): Promise<Running['shots']> {
  const { login, check, application, verify, tokens } = system;
  if (!login) return {};
  if (!check && !application) return { login: programPost([login]) };
  const jars: Jar[] = [];
  for (let number = 1; number <= browsers; number += 1) jars.push(await signIn(url, login, number));
  const cookies = jars.map((jar) => [...jar].map((pair) => pair.join('=')).join('; '));
  return {
    ...(check ? { login: programPost([login]), check: browserGet(check.path, cookies, check.expect) } : {}),
    ...(application ? { application: browserGet(application.path, cookies, application.expect) } : {}),
    ...(verify ? { verify: programPost(jars.map(verify)) } : {}),
    ...(tokens
      ? { token: programPost((await makeTokens(url, tokens.make, cookies)).map((token) => tokens.verify(token))) }
      : {}),
  };
}

/** Starts a system on a new database, and signs in `browsers` browsers. */
export async function run(system: System, place: Place, browsers: number): Promise<Running> {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: place.folder, DATABASE_URL: await databaseFor(system, place), ...system.env };
  await system.prepare?.(env);
  const first = await launch(system, env, place.folder);
  try {
    await system.signUp?.(urlOf(first));
  } finally {
    await first.stop();
  }
  const again = await launch(system, env, place.folder);
  try {
    const shots = await shotsOf(system, urlOf(again), browsers);
    const startOnceMore = async () => {
      const { start, stop } = await launch(system, env, place.folder);
      await stop();
      return start;
    };
    return { system, title: titleOf(system), shots, startOnceMore, ...again };
  } catch (error) {
    await again.stop();
    throw error;
  }
}

/**
 * Gives a bare server the requests of a real server, with its only path as their path, so that both servers read the
 * same headers and bodies.
 */
export function borrowShots(bare: Running, { shots }: Running): void {
  const redirected = (shot: Shot): Shot => ({
    text: (number) => shot.text(number).replace(/ \S+ /, ' / '),
    expect: '"session_valid":true',
  });
  if (shots.check) bare.shots.check = redirected(shots.check);
  if (shots.verify) bare.shots.verify = redirected(shots.verify);
  if (shots.token) bare.shots.token = redirected(shots.token);
}
