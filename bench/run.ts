// npm run bench: measures authsvc and other systems in one run. `--help` lists the options.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { postgresMeter } from './processes.ts';
import { type Findings, toMarkdown } from './report.ts';
import { borrowShots, type Place, type Running, run, titleOf } from './running.ts';
import { bareFastify, bareNode, listSystems } from './systems.ts';
import { measure, measureFootprints, measureInstallations, measureStorm } from './works.ts';

const project = join(import.meta.dirname, '..');
const page = join(project, 'docs/performance.md');
const everything = ['check', 'application', 'verify', 'token', 'login', 'storm', 'footprint', 'install'];

const help = `npm run bench -- [options]
  --quick            about a minute: short rounds, fewer browsers, no installations
  --only WORK,…      some of ${everything.join(', ')}
  --beside FOLDER    another checkout of authsvc, built, as a system more
  --skip TEXT,…      leaves out the systems whose title holds one of the texts
  --write            writes docs/performance.md
`;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Options {
  quick: boolean;
  write: boolean;
  works: string[];
  skip: string[];
  beside: string | undefined;
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string' },
      skip: { type: 'string' },
      beside: { type: 'string' },
    },
  });
  if (values.help) return undefined;
  const { quick, write } = values;
  const beside = values.beside && resolve(values.beside);
  const works = values.only?.split(',') ?? everything.filter((work) => !quick || work !== 'install');
  return { quick, write, works, skip: values.skip?.split(',') ?? [], beside };
}

/** Starts every system. Skips a system that cannot be started, with a message. */
async function startSystems({ quick, skip, beside }: Options, place: Place): Promise<Running[]> {
  const started: Running[] = [];
  for (const system of listSystems(beside)) {
    const title = titleOf(system);
    if (skip.some((text) => title.includes(text))) continue;
    say(`starting ${title}`);
    const running = await run(system, place, quick ? 3 : 10).catch((error: unknown) => {
      say(`left out: ${title}: ${error instanceof Error ? error.message : error}`);
    });
    if (running) started.push(running);
  }
  const ours = started.find(({ system }) => system.name === 'authsvc');
  for (const bare of started) {
    if (ours && (bare.system === bareNode || bare.system === bareFastify)) borrowShots(bare, ours);
  }
  return started;
}

async function peers(): Promise<Record<string, string>> {
  const text = await readFile(join(import.meta.dirname, 'package.json'), 'utf8');
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(text);
  return dependencies;
}

async function measureAll(options: Options, systems: Running[], place: Place): Promise<Findings> {
  const { quick, works } = options;
  const postgres = await postgresMeter(place.postgresUrl);
  const effort = quick
    ? { rounds: 3, warmUpCpuMs: 1500, cpuMs: 300, milliseconds: 800, say }
    : { rounds: 5, warmUpCpuMs: 5000, cpuMs: 1500, milliseconds: 4000, say };
  const slow = { ...effort, rounds: 3, warmUpCpuMs: effort.cpuMs };
  const found: Findings = {};
  const services = systems.filter(({ system: { check, application } }) => check || !application);
  if (works.includes('check')) found.check = await measure('check', systems, { postgres, connections: 16, effort });
  if (works.includes('application'))
    found.application = await measure('application', systems, { postgres, connections: 16, effort });
  if (works.includes('verify')) found.verify = await measure('verify', systems, { postgres, connections: 16, effort });
  if (works.includes('token')) found.token = await measure('token', systems, { postgres, connections: 16, effort });
  if (works.includes('login'))
    found.login = await measure('login', systems, { postgres, connections: 4, effort: slow });
  if (works.includes('storm')) found.storm = await measureStorm(systems, slow);
  if (works.includes('footprint')) found.footprints = await measureFootprints(services, slow);
  if (works.includes('install')) {
    const versions = await peers();
    const pinned = (...names: string[]) => names.map((name) => `${name}@${versions[name] ?? 'latest'}`);
    const others = {
      'express-session with its store': pinned('express', 'express-session', 'connect-pg-simple'),
      'better-auth with pg': [...pinned('better-auth'), 'pg'],
      mbkauthe: pinned('mbkauthe'),
    };
    found.installations = await measureInstallations(project, others, place, say);
  }
  return found;
}

async function describeRun({ quick, works }: Options): Promise<string> {
  const versions = Object.entries(await peers()).map(([name, version]) => `${name} ${version}`);
  const [cpu] = cpus();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: project, encoding: 'utf8' }).trim();
  const date = new Date().toISOString().slice(0, 10);
  return `Measured ${date} at commit ${commit}: ${cpus().length} × ${cpu?.model.trim()}, Linux ${release()}, Node ${process.version}; ${versions.join(', ')}.${
    quick ? ' A quick run: short rounds.' : ''
  }${works.length < everything.length ? ` Only ${works.join(', ')}.` : ''}`;
}

const BEGIN = '<!-- npm run bench -- --write: from here -->';
const END = '<!-- to here -->';

/** Replaces the results of the last run in the page, and leaves the rest of the page as it is. */
async function writePage(measured: string): Promise<void> {
  const text = await readFile(page, 'utf8');
  const [before = '', after = ''] = [text.slice(0, text.indexOf(BEGIN)), text.slice(text.indexOf(END))];
  await writeFile(page, `${before}${BEGIN}\n\n${measured}\n\n${after}`);
}

async function main(options: Options): Promise<void> {
  if (process.platform !== 'linux') throw new Error('the figures come from /proc: run it on Linux');
  if (!existsSync(join(import.meta.dirname, 'node_modules'))) {
    say('installing the other systems');
    execFileSync('npm', ['ci', '--prefix', import.meta.dirname, '--no-audit', '--no-fund'], { stdio: 'ignore' });
  }
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-bench-'));
  const postgres = await startPostgres();
  const systems: Running[] = [];
  try {
    const place = { folder, postgresUrl: postgres.url };
    systems.push(...(await startSystems(options, place)));
    const found = await measureAll(options, systems, place);
    const facts = await describeRun(options);
    const tables = toMarkdown(found);
    process.stdout.write(`\n${facts}\n\n${tables}\n`);
    if (options.write) await writePage(`${facts}\n\n${tables}`);
  } finally {
    for (const running of systems) await running.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const options = readOptions();
if (options) await main(options);
else process.stdout.write(help);
