// Measures what OpenID Connect costs: `npx tsx bench/oidc.ts`. Compares the processor time of each kind of request at
// authsvc with that at a bare oidc-provider that keeps everything in memory, in alternating rounds. The time of
// PostgreSQL is not counted.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './load.ts';
import { databaseFor, launch, type Place } from './running.ts';
import { authsvc, type Store, type System } from './systems.ts';

const ROUNDS = 5;
const WARM_UPS = 4;
/** The in-memory adapter keeps only its latest thousand entries, so a round must stay small. */
const EACH = 100;
const AT_ONCE = 8;
const CALLBACK = 'https://bench.example.test/cb';
const VERIFIER = 'a-verifier-of-the-bench-that-is-long-enough-012345';
const SECRET = 'bench-secret-0123456789';
const FORM = 'application/x-www-form-urlencoded';
const project = join(import.meta.dirname, '..');

interface Answer {
  status: number;
  location: string;
  cookies: string[];
  body: Record<string, unknown>;
}

/** A provider, and the paths of its endpoints. */
interface Provider {
  title: string;
  port: number;
  secret: string;
  paths: { authorize: string; token: string; userinfo: string; introspect: string };
  meter(): number;
  stop(): Promise<void>;
  jar: Map<string, string>;
  checkPath: string | undefined;
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
let sent = 0;

async function ask(provider: Provider, path: string, fields?: Record<string, string>, authorization?: string) {
  sent += 1;
  const body = fields && new URLSearchParams(fields).toString();
  const headers = {
    accept: fields ? 'application/json' : 'text/html',
    // Each request comes from a new address, because rate limits count by address.
    'x-forwarded-for': `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
    ...(body ? { 'content-type': FORM, 'content-length': String(body.length) } : {}),
    ...(authorization ? { authorization } : { cookie: [...provider.jar].map((pair) => pair.join('=')).join('; ') }),
  };
  const method = fields ? 'POST' : 'GET';
  const asked = request({ host: '127.0.0.1', port: provider.port, path, method, headers, agent }).end(body);
  const [reply]: IncomingMessage[] = await once(asked, 'response');
  if (!reply) throw new Error('no reply');
  const content = await text(reply);
  const isJson = String(reply.headers['content-type']).includes('json');
  const answer: Answer = {
    status: reply.statusCode ?? 0,
    location: reply.headers.location ?? '',
    cookies: reply.headers['set-cookie'] ?? [],
    body: isJson ? { ...Object(JSON.parse(content)) } : {},
  };
  for (const line of answer.cookies) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (!authorization) provider.jar.set(name, value);
  }
  return answer;
}

const basic = ({ secret }: Provider): string => `Basic ${Buffer.from(`bench:${secret}`).toString('base64')}`;

const authorizePath = ({ paths }: Provider): string =>
  `${paths.authorize}?${new URLSearchParams({
    client_id: 'bench',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile',
    state: 's',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;

async function authorize(provider: Provider): Promise<string> {
  const { location, status } = await ask(provider, authorizePath(provider));
  const code = URL.canParse(location) ? new URL(location).searchParams.get('code') : null;
  if (!code) throw new Error(`${provider.title}: no code but ${status} ${location}`);
  return code;
}

async function token(provider: Provider, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const { status, body } = await ask(provider, provider.paths.token, fields, basic(provider));
  if (status !== 200) throw new Error(`${provider.title}: no tokens: ${JSON.stringify(body)}`);
  return body;
}

const redeem = (provider: Provider, code: string) =>
  token(provider, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER });
const refresh = (provider: Provider, tokens: Record<string, unknown>) =>
  token(provider, { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) });

async function userinfo(provider: Provider, { access_token }: Record<string, unknown>): Promise<void> {
  const { status } = await ask(provider, provider.paths.userinfo, undefined, `Bearer ${access_token}`);
  if (status !== 200) throw new Error(`${provider.title}: userinfo was answered with ${status}`);
}

async function introspect(provider: Provider, { access_token }: Record<string, unknown>): Promise<void> {
  const fields = { token: String(access_token) };
  const { body } = await ask(provider, provider.paths.introspect, fields, basic(provider));
  if (body.active !== true) throw new Error(`${provider.title}: the token is not active`);
}

/** Calls `work` for each item, a few at a time. */
async function forEach<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const results: U[] = [];
  const waiting = [...items];
  const take = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return results;
}

const kinds = ['authorization', 'code to tokens', 'refresh', 'userinfo', 'introspection', 'checkSession'] as const;
type Costs = Record<(typeof kinds)[number], number[]>;

async function round(provider: Provider, costs: Costs): Promise<void> {
  const timed = async <T>(kind: keyof Costs, work: () => Promise<T>): Promise<T> => {
    const before = provider.meter();
    const result = await work();
    costs[kind].push((provider.meter() - before) / EACH);
    return result;
  };
  const numbers = Array.from({ length: EACH }, (_, at) => at);
  const codes = await timed('authorization', () => forEach(numbers, () => authorize(provider)));
  const tokens = await timed('code to tokens', () => forEach(codes, (code) => redeem(provider, code)));
  const fresh = await timed('refresh', () => forEach(tokens, (one) => refresh(provider, one)));
  // Applications send the same access token again and again. Only the first use is read from the database, so the first
  // use is not measured.
  await forEach(fresh, (one) => userinfo(provider, one));
  await timed('userinfo', () => forEach(fresh, (one) => userinfo(provider, one)));
  await timed('introspection', () => forEach(fresh, (one) => introspect(provider, one)));
  const { checkPath } = provider;
  if (checkPath) await timed('checkSession', () => forEach(numbers, () => ask(provider, checkPath)));
}

async function startOurs(store: Store, place: Place): Promise<Provider> {
  const system = authsvc('authsvc', project, store);
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: await databaseFor(system, place), ...system.env };
  await system.prepare?.({ ...env, HOME: place.folder });
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(project, 'dist/main.js'), ...args, '--json'], { env, cwd: place.folder });
  const { secret } = JSON.parse(run('app', 'add', 'bench', '--name', 'Bench', '--redirect-uri', CALLBACK).toString());
  run('user', 'set', 'bench', '--app', 'authsvc', '--app', 'bench');
  const { port, meter, stop } = await launch(system, env, place.folder);
  const reply = await fetch(`http://127.0.0.1:${port}${system.login?.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(system.login?.body),
  });
  const pairs = reply.headers.getSetCookie().map((line) => /^([^=]+)=([^;]*)/.exec(line));
  const jar = new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])));
  const at = (name: string) => `/authsvc/oidc/${name}`;
  const paths = {
    authorize: at('authorize'),
    token: at('token'),
    userinfo: at('userinfo'),
    introspect: at('introspect'),
  };
  const title = `authsvc, ${store}`;
  return { title, port, secret, paths, meter, stop, jar, checkPath: '/authsvc/api/checkSession' };
}

async function startBare(place: Place): Promise<Provider> {
  const system: System = {
    name: 'bare oidc-provider',
    store: 'none',
    args: [join(import.meta.dirname, 'servers/bare-oidc-provider.js')],
    env: {},
    readyPath: '/ready',
  };
  const env = { PATH: process.env.PATH ?? '', BENCH_SECRET: SECRET, NODE_ENV: 'production' };
  const { port, meter, stop } = await launch(system, env, place.folder);
  const paths = { authorize: '/auth', token: '/token', userinfo: '/me', introspect: '/token/introspection' };
  const jar = new Map<string, string>();
  const provider = { title: system.name, port, secret: SECRET, paths, meter, stop, jar, checkPath: undefined };
  // Signs in once. The first reply redirects to the interaction, which redirects back.
  let { location } = await ask(provider, authorizePath(provider));
  for (let hops = 0; hops < 4 && !location.startsWith(CALLBACK); hops += 1) {
    const { pathname, search } = new URL(location, `http://127.0.0.1:${port}`);
    ({ location } = await ask(provider, pathname + search));
  }
  return provider;
}

function row(provider: Provider, costs: Costs): string {
  const cells = kinds.map((kind) => (costs[kind].length > 0 ? (median(costs[kind]) / 1000).toFixed(2) : ''));
  return `| ${[provider.title, ...cells].join(' | ')} |`;
}

const folder = await mkdtemp(join(tmpdir(), 'authsvc-bench-'));
const postgres = await startPostgres();
const providers: Provider[] = [];
try {
  const place = { folder, postgresUrl: postgres.url };
  for (const store of ['SQLite', 'PostgreSQL'] as const) providers.push(await startOurs(store, place));
  providers.push(await startBare(place));
  const none = (): Costs => ({
    authorization: [],
    'code to tokens': [],
    refresh: [],
    userinfo: [],
    introspection: [],
    checkSession: [],
  });
  const found = new Map(providers.map((provider) => [provider, none()]));
  for (let at = 0; at < WARM_UPS + ROUNDS; at += 1)
    for (const [provider, costs] of found) await round(provider, at < WARM_UPS ? none() : costs);
  const lines = [...found].map(([provider, costs]) => row(provider, costs));
  const head = `| Processor time in ms | ${kinds.join(' | ')} |\n| --- |${' ---: |'.repeat(kinds.length)}`;
  process.stdout.write(`${[head, ...lines].join('\n')}\n`);
} finally {
  agent.destroy();
  for (const provider of providers) await provider.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
