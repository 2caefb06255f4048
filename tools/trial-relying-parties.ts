// Tries real software that signs people in by OpenID Connect: npm run trial:relying-parties [NAME…]. Starts the built
// service and then, one after another, programs of tools/relying-parties. Some use libraries from npm, which are
// installed in a temporary folder. Apache and authlib come from Debian (apache2, libapache2-mod-auth-openidc,
// python3-authlib, python3-flask). With each program, a person signs in, the tokens are refreshed, and a sign-out at the
// service signs the person out of the program within a second.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../test/support/postgres.ts';

const execute = promisify(execFile);
const project = join(import.meta.dirname, '..');
const packages = [
  '@auth/express@0.12.3',
  'better-auth@1.7.25',
  'express@5.3.0',
  'express-session@1.19.0',
  'jose@6.2.18',
  'openid-client@6.9.0',
  'passport@0.7.0',
  'passport-openidconnect@0.1.2',
];
const PASSWORD = 'right-horse-7';
const PATIENCE_MS = 30_000;
const MODULES = '/usr/lib/apache2/modules';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Page {
  url: string;
  status: number;
  location: string | undefined;
  text: string;
  /** The header in which Apache sends the name of the person. */
  user: unknown;
}

interface Sent {
  method?: 'POST';
  type?: string;
  body?: string;
}

/** A browser that keeps cookies by origin and can follow redirects. */
class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  async request(url: string, { method, type, body }: Sent = {}): Promise<Page> {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    const headers = {
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(jar.size > 0 ? { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
    };
    const asked = request(url, { method, headers, timeout: PATIENCE_MS }).end(body);
    const [reply]: IncomingMessage[] = await once(asked, 'response');
    if (!reply) throw new Error(`no reply from ${url}`);
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0\b|expires=thu, 01[ -]jan[ -]1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const { location, 'x-user': user } = reply.headers;
    return { url, status: reply.statusCode ?? 0, location, text: await text(reply), user };
  }

  /** Opens a page and follows redirects. */
  async open(url: string, sent: Sent = {}): Promise<Page> {
    let page = await this.request(url, sent);
    for (let hops = 0; hops < 15 && page.location !== undefined; hops += 1)
      page = await this.request(new URL(page.location, page.url).href);
    return page;
  }

  post(url: string, fields: object): Promise<Page> {
    return this.request(url, { method: 'POST', type: 'application/json', body: JSON.stringify(fields) });
  }
}

function parse({ url, status, text: content }: Page): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(content)) };
  } catch {
    throw new Error(`no JSON but ${status} from ${url}: ${content.slice(0, 600)}`);
  }
}

/** Where a program runs, and the data of the service that it needs. */
interface Place {
  folder: string;
  port: number;
  url: string;
  issuer: string;
  clientId: string;
  secret: string;
}

interface RelyingParty {
  name: string;
  /** A path below the program's URL. */
  callback: string;
  backchannel: string;
  options?: readonly string[];
  /** Returns the program and its arguments. */
  command(place: Place): Promise<readonly string[]>;
  /** Opens the page on which a browser without a session starts to sign in. */
  begin?(browser: Browser, url: string): Promise<Page>;
  /** Returns `refreshed` if the refresh gave a new access token. */
  refresh?(browser: Browser, url: string): Promise<string>;
}

const node = (name: string) => async () => [process.execPath, `${name}.mjs`];

/** Starts a sign-in at Auth.js, which needs a form with a token. */
async function beginAtAuthJs(browser: Browser, url: string): Promise<Page> {
  const { csrfToken } = parse(await browser.open(`${url}/auth/csrf`));
  const body = new URLSearchParams({ csrfToken: String(csrfToken), callbackUrl: `${url}/` }).toString();
  const type = 'application/x-www-form-urlencoded';
  return browser.open(`${url}/auth/signin/authsvc`, { method: 'POST', type, body });
}

async function refreshAtAuthJs(browser: Browser, url: string): Promise<string> {
  const { csrfToken } = parse(await browser.open(`${url}/auth/csrf`));
  const before = parse(await browser.open(`${url}/auth/session`));
  const after = parse(await browser.post(`${url}/auth/session`, { csrfToken, data: {} }));
  return before.accessToken !== after.accessToken ? 'refreshed' : 'the same';
}

async function refreshAtApache(browser: Browser, url: string): Promise<string> {
  const info = async () => String(parse(await browser.request(`${url}/redirect?info=json`)).access_token);
  const before = await info();
  const query = new URLSearchParams({ refresh: `${url}/`, access_token: before });
  await browser.request(`${url}/redirect?${query}`);
  return (await info()) !== before ? 'refreshed' : 'the same';
}

/** Returns the Apache settings of docs/openid-connect.md with the given values. */
async function apacheSettings({ issuer, clientId, secret, url }: Place): Promise<string> {
  const page = await readFile(join(project, 'docs/openid-connect.md'), 'utf8');
  const [, block = ''] = /```apache\n([\s\S]*?)```/.exec(page) ?? [];
  if (block === '') throw new Error('docs/openid-connect.md has no block for Apache');
  return block
    .replaceAll('https://auth.example.com', issuer)
    .replaceAll('https://wiki.example.com', url)
    .replace('OIDCClientID wiki', `OIDCClientID ${clientId}`)
    .replace(/acs_\S+/, secret);
}

async function apache(place: Place): Promise<readonly string[]> {
  const { folder, port } = place;
  const values: Record<string, string> = {
    FOLDER: folder,
    PORT: String(port),
    MODULES,
    SETTINGS: await apacheSettings(place),
  };
  await mkdir(join(folder, 'pages'));
  await writeFile(join(folder, 'pages/index.html'), 'a page\n');
  const template = await readFile(join(folder, 'apache.conf'), 'utf8');
  const file = join(folder, 'own.conf');
  await writeFile(
    file,
    template.replace(/\$\{(\w+)\}/g, (_all, name: string) => values[name] ?? ''),
  );
  return ['/usr/sbin/apache2', '-D', 'FOREGROUND', '-f', file];
}

const common = { callback: '/callback', backchannel: '/backchannel' };
const relyingParties: readonly RelyingParty[] = [
  { ...common, name: 'openid-client', command: node('openid-client') },
  {
    ...common,
    name: 'passport-openidconnect',
    options: ['--without-pkce'],
    command: node('passport-openidconnect'),
  },
  {
    ...common,
    name: 'auth-js',
    callback: '/auth/callback/authsvc',
    command: node('auth-js'),
    begin: beginAtAuthJs,
    refresh: refreshAtAuthJs,
  },
  {
    ...common,
    name: 'better-auth',
    callback: '/api/auth/callback/authsvc',
    command: node('better-auth'),
  },
  {
    name: 'apache',
    callback: '/redirect',
    backchannel: '/redirect?logout=backchannel',
    command: apache,
    refresh: refreshAtApache,
  },
  { ...common, name: 'authlib', command: async () => ['/usr/bin/python3', 'authlib-flask.py'] },
];

/** Starts a program. It runs until the returned function is called. */
function start([command = '', ...args]: readonly string[], folder: string, env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (words) => (said += words));
  const ended = once(child, 'close');
  return {
    said: () => said,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilItAnswers(url: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  const answers = () =>
    fetch(url, { redirect: 'manual' }).then(
      (reply) => reply.body?.cancel(),
      () => false,
    );
  while ((await answers()) === false) {
    if (Date.now() > end) throw new Error(`nothing answers at ${url}`);
    await wait(50);
  }
}

interface Service {
  issuer: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  program: ReturnType<typeof start>;
}

async function command(
  { folder, env }: Service,
  args: readonly string[],
  input = '',
): Promise<Record<string, unknown>> {
  const run = execute(process.execPath, [join(project, 'dist/main.js'), ...args, '--json'], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  run.child.stdin?.end(input);
  return JSON.parse((await run).stdout);
}

async function startService(place: string): Promise<Service> {
  const port = await freePort();
  const folder = join(place, 'service');
  await mkdir(folder);
  const env = {
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, 'authsvc.sqlite')}`,
    SESSION_SECRET_KEY: 'session-secret-of-the-trial-0123456789',
    UPDATE_CHECK: 'off',
    LOG_LEVEL: 'warn',
  };
  const program = start([process.execPath, join(project, 'dist/main.js'), 'serve'], folder, env);
  const issuer = `http://localhost:${port}`;
  await untilItAnswers(`${issuer}/healthz`);
  return { issuer, folder, env, program };
}

function expectText(what: string, found: string, wanted: string): void {
  if (!found.includes(wanted)) throw new Error(`${what}: "${wanted}" is missing in: ${found.slice(0, 600)}`);
}

/** Signs a person in at the service, starting from the application, and follows the browser back to the application. */
async function signIn(browser: Browser, rp: RelyingParty, place: Place, username: string): Promise<void> {
  const start = rp.begin ?? ((own, url) => own.open(url));
  const login = await start(browser, place.url);
  if (!login.url.startsWith(`${place.issuer}/authsvc/login`))
    throw new Error(`no login page: ${JSON.stringify(login)}`);
  const redirect = new URL(login.url).searchParams.get('redirect');
  const reply = await browser.post(`${place.issuer}/authsvc/api/login`, { username, password: PASSWORD, redirect });
  const next = new URL(String(parse(reply).redirect_url), place.issuer);
  const back = await browser.open(next.href);
  expectText('sign-in', `${back.text} ${back.user}`, `user ${username}`);
}

async function signOut(browser: Browser, { issuer }: Place): Promise<void> {
  const { text: page } = await browser.open(`${issuer}/authsvc/accounts`);
  const [, _csrf = ''] = /name="_csrf" value="([^"]*)"/.exec(page) ?? [];
  const reply = await browser.post(`${issuer}/authsvc/api/logout`, { _csrf });
  if (reply.status !== 200) throw new Error(`the sign-out was answered with ${reply.status}: ${reply.text}`);
}

async function untilSignedOut(browser: Browser, { url }: Place): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < 1_000) {
    const { location } = await browser.request(`${url}/`);
    if (location !== undefined) return Date.now() - from;
    await wait(20);
  }
  throw new Error('still signed in after a second');
}

async function tryOne(service: Service, place: string, rp: RelyingParty): Promise<void> {
  const folder = join(place, rp.name);
  await cp(join(project, 'tools/relying-parties'), folder, { recursive: true });
  await chmod(folder, 0o755);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const uris = ['--redirect-uri', url + rp.callback, '--backchannel-logout-uri', url + rp.backchannel];
  const added = await command(service, ['app', 'add', rp.name, '--name', rp.name, ...uris, ...(rp.options ?? [])]);
  const username = `user-of-${rp.name}`;
  const apps = ['--app', 'authsvc', '--app', rp.name];
  await command(service, ['user', 'add', username, '--password-stdin', ...apps], PASSWORD);
  const at = { folder, port, url, issuer: service.issuer, clientId: rp.name, secret: String(added.secret) };
  const env = { PORT: String(port), URL: url, ISSUER: at.issuer, CLIENT_ID: rp.name, CLIENT_SECRET: at.secret };
  const program = start(await rp.command(at), folder, env);
  try {
    await untilItAnswers(url);
    const browser = new Browser();
    await signIn(browser, rp, at, username);
    const refreshed = await (rp.refresh ?? (async (own, to) => (await own.open(`${to}/refresh`)).text))(browser, url);
    expectText('refresh', refreshed, 'refreshed');
    await signOut(browser, at);
    const ms = await untilSignedOut(browser, at);
    say(`${rp.name}: signed in, refreshed, signed out after ${ms} ms`);
  } catch (error) {
    say(`${rp.name} said: ${program.said()}`);
    throw error;
  } finally {
    await program.stop();
  }
}

async function tryAll(place: string, names: readonly string[]): Promise<number> {
  await writeFile(join(place, 'package.json'), '{ "private": true, "type": "module" }\n');
  await execute('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '-E', ...packages], { cwd: place });
  const service = await startService(place);
  let failed = 0;
  const wanted = relyingParties.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const rp of wanted)
    await tryOne(service, place, rp).catch((error: unknown) => {
      failed += 1;
      say(`${rp.name}: ${error instanceof Error ? error.message : error}`);
    });
  await service.program.stop();
  if (failed > 0) say(`the service said: ${service.program.said()}`);
  say(`${wanted.length - failed} passed, ${failed} failed`);
  return failed;
}

const place = await mkdtemp(join(tmpdir(), 'authsvc-relying-parties-'));
try {
  await chmod(place, 0o755);
  if (!existsSync(join(MODULES, 'mod_auth_openidc.so'))) say('libapache2-mod-auth-openidc is missing');
  process.exitCode = (await tryAll(place, process.argv.slice(2))) === 0 ? 0 : 1;
} finally {
  await rm(place, { recursive: true, force: true });
}
