// Defines what is measured, and how. The rounds alternate between all systems, so that other load on the machine affects
// all of them equally.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { forMilliseconds, load, median, type Outcome, quantile } from './load.ts';
import { type Meter, residentMegabytes } from './processes.ts';
import type { Place, Running } from './running.ts';

const execute = promisify(execFile);

export interface Effort {
  rounds: number;
  /** The processor time that a system's server uses before the first round, and in each round. */
  warmUpCpuMs: number;
  cpuMs: number;
  /** The length of a round that is limited by time. */
  milliseconds: number;
  say(text: string): void;
}

/** The results for one system, as medians over the rounds. */
export interface Reading {
  title: string;
  /** Processor time of the server, and of PostgreSQL, in microseconds per request. */
  cpu: number;
  postgresCpu: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** The processor time of each round, for comparison with another system in the same round. */
  rounds: number[];
}

type Work = 'check' | 'application' | 'verify' | 'token' | 'login';

interface Sample {
  cpu: number;
  postgresCpu: number;
  outcome: Outcome;
}

const METER_EVERY_MS = 10;
const SHARE_AT_LEAST = 1 / 25;

/**
 * Returns a function that returns true until the server has used this much processor time. On a busy machine a round
 * therefore takes longer, but stays as exact. If the server gets less than a 25th of a processor, the round ends sooner.
 */
function forCpu(meter: Meter, cpuMs: number): () => boolean {
  const isInTime = forMilliseconds(cpuMs / SHARE_AT_LEAST);
  const end = meter() + cpuMs * 1000;
  let readAt = 0;
  let isBelow = true;
  return () => {
    const now = performance.now();
    if (now - readAt > METER_EVERY_MS) {
      readAt = now;
      isBelow = meter() < end && isInTime();
    }
    return isBelow;
  };
}

async function sample(running: Running, postgres: Meter, send: () => Promise<Outcome>): Promise<Sample> {
  const before = { server: running.meter(), postgres: postgres() };
  const outcome = await send();
  return {
    cpu: (running.meter() - before.server) / outcome.count,
    postgresCpu: running.system.store === 'PostgreSQL' ? (postgres() - before.postgres) / outcome.count : 0,
    outcome,
  };
}

function toReading(title: string, samples: readonly Sample[]): Reading {
  const middle = (value: (one: Sample) => number) => median(samples.map(value));
  return {
    title,
    cpu: middle((one) => one.cpu),
    postgresCpu: middle((one) => one.postgresCpu),
    perSecond: middle(({ outcome }) => outcome.count / outcome.seconds),
    p50: middle(({ outcome }) => quantile(outcome.latencies, 0.5)),
    p99: middle(({ outcome }) => quantile(outcome.latencies, 0.99)),
    rounds: samples.map((one) => one.cpu),
  };
}

/** Measures one kind of request, sent as fast as each system replies. */
export async function measure(
  work: Work,
  systems: readonly Running[],
  { postgres, connections, effort }: { postgres: Meter; connections: number; effort: Effort },
): Promise<Reading[]> {
  const samples = new Map<Running, Sample[]>();
  for (let round = 0; round <= effort.rounds; round += 1) {
    effort.say(round === 0 ? `${work}: warming up` : `${work}: round ${round} of ${effort.rounds}`);
    for (const running of systems) {
      const shot = running.shots[work];
      if (!shot) continue;
      const { port } = running;
      const goesOn = forCpu(running.meter, round === 0 ? effort.warmUpCpuMs : effort.cpuMs);
      const one = await sample(running, postgres, () => load({ port, shot, connections, goesOn }));
      if (round > 0) samples.set(running, [...(samples.get(running) ?? []), one]);
    }
  }
  return [...samples].map(([running, list]) => toReading(running.title, list));
}

/** The durations of session checks without other load, and while logins run, in milliseconds. */
export interface Storm {
  title: string;
  idle: { p50: number; p99: number };
  busy: { p50: number; p99: number };
}

const CHECK_PAUSE_MS = 10;
const CHECKING = 4;
const LOGGING_IN = 8;

/** Runs one round of a storm: session checks at a steady pace, first alone, then while eight browsers sign in. */
async function stormOf({ port, shots }: Running, { milliseconds }: Effort) {
  if (!shots.check || !shots.login) return undefined;
  const checks = { port, shot: shots.check, connections: CHECKING, pauseMs: CHECK_PAUSE_MS };
  const idle = await load({ ...checks, goesOn: forMilliseconds(milliseconds) });
  const goesOn = forMilliseconds(milliseconds);
  const logins = load({ port, shot: shots.login, connections: LOGGING_IN, goesOn, pauseMs: 0 });
  const [busy] = await Promise.all([load({ ...checks, goesOn }), logins]);
  return { idle, busy };
}

/** Runs storms against every system. Skips a system whose logins sign out the checked browsers, with a message. */
export async function measureStorm(systems: readonly Running[], effort: Effort): Promise<Storm[]> {
  const seen = new Map<Running, { idle: Outcome[]; busy: Outcome[] }>();
  const leftOut = new Set<Running>();
  for (let round = 1; round <= effort.rounds; round += 1) {
    effort.say(`checks during logins: round ${round} of ${effort.rounds}`);
    for (const running of systems) {
      const storm = leftOut.has(running)
        ? undefined
        : await stormOf(running, effort).catch((error: unknown) => {
            leftOut.add(running);
            seen.delete(running);
            effort.say(`left out: ${running.title}: ${error instanceof Error ? error.message : error}`);
          });
      if (!storm) continue;
      const { idle, busy } = storm;
      const known = seen.get(running) ?? { idle: [], busy: [] };
      seen.set(running, { idle: [...known.idle, idle], busy: [...known.busy, busy] });
    }
  }
  const of = (outcomes: readonly Outcome[]) => ({
    p50: median(outcomes.map(({ latencies }) => quantile(latencies, 0.5))),
    p99: median(outcomes.map(({ latencies }) => quantile(latencies, 0.99))),
  });
  return [...seen].map(([{ title }, { idle, busy }]) => ({ title, idle: of(idle), busy: of(busy) }));
}

/** The costs of a system besides the time for requests. */
export interface Footprint {
  title: string;
  startMs: number;
  startCpuMs: number;
  megabytesAfterLoad: number;
}

/** Measures the memory after all the load, and starts on an existing database. */
export async function measureFootprints(systems: readonly Running[], effort: Effort): Promise<Footprint[]> {
  const starts = new Map(systems.map((running) => [running, [running.start]]));
  for (let round = 2; round <= effort.rounds; round += 1) {
    effort.say(`starts: round ${round} of ${effort.rounds}`);
    for (const [running, known] of starts) known.push(await running.startOnceMore());
  }
  return [...starts].map(([{ title, pid }, list]) => ({
    title,
    startMs: median(list.map(({ ms }) => ms)),
    startCpuMs: median(list.map(({ cpuMs }) => cpuMs)),
    megabytesAfterLoad: residentMegabytes(pid),
  }));
}

/** The disk space of an installation for production. */
export interface Installation {
  title: string;
  megabytes: number;
  packages: number;
}

async function installed(title: string, specifiers: readonly string[], place: Place): Promise<Installation> {
  const folder = join(place.folder, `installed ${title}`);
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await execute('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', ...specifiers], { cwd: folder });
  const { stdout } = await execute('du', ['-sk', join(folder, 'node_modules')]);
  const lock: { packages: Record<string, unknown> } = JSON.parse(
    await readFile(join(folder, 'package-lock.json'), 'utf8'),
  );
  return {
    title,
    megabytes: Number(stdout.split('\t')[0]) / 1024,
    packages: Object.keys(lock.packages).length - 1,
  };
}

/** Packs and installs authsvc, and installs each of `others` (npm specifiers by title), in separate folders. */
export async function measureInstallations(
  project: string,
  others: Record<string, readonly string[]>,
  place: Place,
  say: (text: string) => void,
): Promise<Installation[]> {
  say('installing for production');
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', place.folder], { cwd: project });
  const [, tarball = ''] = /"filename":\s*"([^"]+)"/.exec(stdout) ?? [];
  const found = [await installed('authsvc', [join(place.folder, tarball)], place)];
  for (const [title, specifiers] of Object.entries(others)) {
    say(`installing ${title}`);
    found.push(await installed(title, specifiers, place));
  }
  return found;
}
