// Tries the container without a registry and without a container runtime: npm run trial:container. Runs the steps of the
// Dockerfile in a copy-on-write copy of this machine's root folder, with the Node.js of this machine. Starts the image
// read-only as its user, runs its health check, and signs a person in. Needs root on Linux.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');
const PASSWORD = 'blue-harbour-at-dawn';

interface Step {
  word: string;
  rest: string;
}

/** Reads the instructions of the Dockerfile, by stage. Skips instructions before the first stage. */
function readStages(): Step[][] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8').replace(/\\\n/g, ' ');
  const stages: Step[][] = [];
  for (const line of text.split('\n')) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push([]);
    stages.at(-1)?.push({ word, rest });
  }
  return stages;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the values of a stage that its program needs when it runs. */
function facts(steps: readonly Step[]) {
  const last = (word: string) => steps.findLast((step) => step.word === word)?.rest ?? '';
  const list = (text: string): string[] => JSON.parse(text.slice(text.indexOf('[')));
  return {
    env: steps.filter(({ word }) => word === 'ENV').flatMap(({ rest }) => rest.split(' ')),
    folder: last('WORKDIR'),
    user: last('USER'),
    volume: last('VOLUME'),
    program: list(last('ENTRYPOINT')),
    command: list(last('CMD')),
    health: list(last('HEALTHCHECK')),
  };
}

/** Returns the shell lines that run one instruction below the folder of a stage. */
function linesOf({ word, rest }: Step, stage: string, state: { folder: string }): string[] {
  if (word === 'WORKDIR') {
    state.folder = rest;
    return [`mkdir -p ${stage}${rest}`];
  }
  if (word === 'RUN') return [`chroot ${stage} /bin/sh -ec ${quote(`cd ${state.folder || '/'}; ${rest}`)}`];
  if (word !== 'COPY') return [];
  const from = /--from=(\w+)/.exec(rest)?.[1];
  const owner = /--chown=(\S+)/.exec(rest)?.[1];
  const [source = '', target = ''] = rest.replace(/--\S+ /g, '').split(' ');
  if (from === undefined)
    return [
      `git -C ${quote(root)} ls-files -z | tar -C ${quote(root)} --null -T - -c | tar -C ${stage}${state.folder} -x`,
    ];
  return [
    `cp -a $place/${from}${source} ${stage}${target}`,
    ...(owner === undefined ? [] : [`chown -R ${owner} ${stage}${target}`]),
  ];
}

/**
 * Returns the shell lines that mount a root folder for a stage, as a copy-on-write overlay of this machine's root folder.
 */
const mountStage = (name: string): string[] => [
  `mkdir -p $place/upper-${name}/{changes,work} $place/${name}`,
  `mount -t overlay overlay -o lowerdir=/,upperdir=$place/upper-${name}/changes,workdir=$place/upper-${name}/work $place/${name}`,
  `mount -t proc proc $place/${name}/proc`,
  `mount --rbind /dev $place/${name}/dev`,
];

function buildScript(stages: readonly Step[][]): string {
  const last = facts(stages.at(-1) ?? []);
  const image = '$place/image';
  const [uid, gid] = last.user.split(':');
  const rights = `setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs --inh-caps -all --bounding-set -all`;
  const settings = [...last.env, 'PORT=0', 'UPDATE_CHECK=off', 'PATH=/usr/local/bin:/usr/bin:/bin'];
  const inside = (words: readonly string[], more = '') =>
    `chroot ${image} ${rights} env -C ${last.folder} -i ${settings.map(quote).join(' ')} ${more} ${words.map(quote).join(' ')}`;
  const serve = inside([...last.program, ...last.command], 'PORT=$port');
  return [
    'set -euo pipefail',
    'place=$1 port=$2',
    'mount -t tmpfs tmpfs $place',
    ...stages.flatMap((steps) => {
      const name = / AS (\w+)$/.exec(steps[0]?.rest ?? '')?.[1] ?? 'image';
      const state = { folder: '' };
      return [...mountStage(name), ...steps.flatMap((step) => linesOf(step, `$place/${name}`, state))];
    }),
    `mount -t tmpfs -o mode=700,uid=${uid},gid=${gid} tmpfs ${image}${last.volume}`,
    `mount -t tmpfs tmpfs ${image}/tmp`,
    `mount -o remount,ro ${image}`,
    `${inside([...last.program, 'migrate'])} > /dev/null`,
    `echo ${PASSWORD} | ${inside([...last.program, 'user', 'add', 'ada', '--password-stdin', '--role', 'superadmin'])}`,
    `${serve} > $place/log 2>&1 & service=$!`,
    `for i in $(seq 100); do ${inside(last.health, 'PORT=$port')} > /dev/null 2>&1 && break; sleep 0.2; done`,
    inside(last.health, 'PORT=$port'),
    `curl -sf -H 'content-type: application/json' -d '{"username":"ada","password":"${PASSWORD}"}' http://localhost:$port/authsvc/api/login`,
    'echo',
    `! chroot ${image} ${rights} touch /app/written 2> /dev/null`,
    'kill $service; wait $service',
    'echo "The image serves read-only as its user, is healthy, signs a person in, and stops with 0."',
  ].join('\n');
}

if (process.platform !== 'linux' || process.getuid?.() !== 0) {
  process.stderr.write('The trial needs root on Linux.\n');
  process.exit(2);
}
const place = mkdtempSync(join(tmpdir(), 'authsvc-container-'));
const script = `${place}.sh`;
writeFileSync(script, buildScript(readStages()));
const done = spawnSync('unshare', ['--mount', 'bash', script, place, '3999'], { stdio: 'inherit' });
rmSync(script);
rmSync(place, { recursive: true });
process.exitCode = done.status ?? 1;
