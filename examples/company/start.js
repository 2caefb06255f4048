// `npm run example` starts authsvc and three applications behind nginx, all under one domain. Ctrl-C stops all of them.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const here = import.meta.dirname;
const program = join(here, '../../dist/main.js');
/** Holds the database, keys and certificate of the example. To start from scratch, delete this folder. */
const folder = process.env.FOLDER ?? join(here, 'data');
const front = Number(process.env.FRONT ?? 8443);
const DOMAIN = 'company.localhost';

const originOf = (name) => `https://${name}.${DOMAIN}:${front}`;

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}

/** Returns the content of a file. If the file does not exist, first writes it with the result of `make`. */
function keep(name, make) {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

function makeCertificate() {
  if (existsSync(join(folder, 'certificate.pem'))) return;
  const names = `subjectAltName=DNS:*.${DOMAIN}`;
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const subject = ['-subj', `/CN=${DOMAIN}`, '-addext', names];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '365', ...files, ...subject], {
    stdio: 'ignore',
  });
}

/** Replaces the placeholders in a configuration file of nginx, and writes the result to `folder`. */
function configure(name, values) {
  const text = readFileSync(join(here, name), 'utf8');
  writeFileSync(
    join(folder, name),
    text.replace(/\b(FOLDER|FRONT|AUTH|PORTAL|WIKI|HANDBOOK)\b/g, (word) => values[word]),
  );
}

const running = [];

function start(command, args, env) {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'inherit' });
  running.push(child);
  child.once('error', (error) => {
    process.stderr.write(`${command} cannot be started: ${error.message}\n`);
    stopAll(1);
  });
  child.once('exit', () => stopAll(1));
}

function stopAll(code) {
  process.exitCode ??= code;
  for (const child of running.splice(0)) child.kill('SIGTERM');
}

async function answers(url) {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

mkdirSync(join(folder, 'temp'), { recursive: true });
makeCertificate();
const [AUTH, PORTAL, WIKI] = [await freePort(), await freePort(), await freePort()];
const settings = {
  PORT: String(AUTH),
  HOST: '127.0.0.1',
  BASE_URL: originOf('auth'),
  DOMAIN,
  IS_DEPLOYED: 'true',
  TRUST_PROXY: '127.0.0.1',
  LOGIN_REDIRECT_URL: '/authsvc/apps',
  SESSION_SECRET_KEY: keep('session-secret', () => randomBytes(32).toString('hex')),
  MAIN_SECRET_TOKEN: keep('main-secret', () => randomBytes(32).toString('hex')),
  DATABASE_URL: `sqlite:${join(folder, 'authsvc.sqlite')}`,
};
const authsvc = (...args) =>
  execFileSync(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, ...settings },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

authsvc('migrate');
const password = keep('password', () => randomBytes(9).toString('base64url'));
const known = JSON.parse(authsvc('user', 'list', '--json'));
if (known.length === 0) {
  const apps = ['authsvc', 'portal', 'wiki', 'handbook'].flatMap((key) => ['--app', key]);
  execFileSync(process.execPath, [program, 'user', 'add', 'ada', '--password-stdin', ...apps], {
    cwd: folder,
    env: { ...process.env, ...settings },
    input: password,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}
const secrets = JSON.parse(
  keep('secrets.json', () => {
    const made = ['portal', 'wiki', 'handbook'].map((key) => {
      const name = `${key[0].toUpperCase()}${key.slice(1)}`;
      return [key, JSON.parse(authsvc('app', 'add', key, '--name', name, '--url', originOf(key), '--json')).secret];
    });
    return JSON.stringify(Object.fromEntries(made));
  }),
);

const values = { FOLDER: folder, FRONT: front, AUTH, PORTAL, WIKI, HANDBOOK: join(here, 'handbook') };
for (const name of ['nginx.conf', 'ask-authsvc.conf']) configure(name, values);
const inside = `http://127.0.0.1:${AUTH}`;
start(process.execPath, [program, 'serve'], settings);
start(process.execPath, [join(here, 'wiki.js')], { PORT: String(WIKI) });
start(process.execPath, [join(here, 'portal.js')], {
  PORT: String(PORTAL),
  OWN: originOf('portal'),
  AUTH: originOf('auth'),
  INSIDE: inside,
  AUTHSVC_SECRET: secrets.portal,
});
start('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll(0));
while (running.length > 0 && !(await answers(`${inside}/healthz`))) await wait(100);
if (running.length > 0) {
  const pages = ['portal', 'wiki', 'handbook'].map((key) => `  ${originOf(key)}/`).join('\n');
  process.stdout.write(`\nSign in as ada with the password ${password} at any of these addresses:\n${pages}\n`);
}
