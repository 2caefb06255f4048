// The measured systems: how each is started, how browsers sign in, and how sessions are checked.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Shot } from './load.ts';

export type Store = 'SQLite' | 'PostgreSQL' | 'none';

export interface System {
  name: string;
  store: Store;
  /** The arguments of node. */
  args: string[];
  env: Record<string, string>;
  /** The path that replies with 200 once the server is ready. */
  readyPath: string;
  /** Runs once, before the first start. */
  prepare?(env: Record<string, string>): Promise<void>;
  /** Runs once, after the first start. */
  signUp?(url: string): Promise<void>;
  /** The request with which a program signs in; `expect` is a part of its reply. */
  login?: Post;
  /** The request with which a browser checks whether it is signed in. */
  check?: { path: string; expect: string };
  /** A page of an Express application that only signed-in people may see. */
  application?: { path: string; expect: string };
  /** The request with which an application checks the session of a browser. */
  verify?(cookies: Map<string, string>): Post;
  /** The requests with which a signed-in browser creates an API token, and with which an application checks the token. */
  tokens?: { make: Post; verify(token: string): Post };
}

export interface Post {
  path: string;
  body: Record<string, unknown>;
  expect: string;
  /** The Origin header for systems that check from which site a request comes. */
  origin?: string;
}

const folder = import.meta.dirname;
const project = join(folder, '..');
const PASSWORD = 'right-horse-7';
const server = (name: string) => [join(folder, 'servers', `${name}.js`)];

/** Returns a new client address for each request, for systems that always limit requests by address. */
function address(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

/** Creates a request as a script in a browser sends it. */
export function browserGet(path: string, cookies: readonly string[], expect: string): Shot {
  const texts = cookies.map((cookie) =>
    [
      `GET ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Accept: application/json',
      'Accept-Language: en-US,en;q=0.5',
      'Accept-Encoding: gzip, deflate, br',
      'Sec-Fetch-Dest: empty',
      'Sec-Fetch-Mode: cors',
      'Sec-Fetch-Site: same-origin',
      `Cookie: ${cookie}`,
      '\r\n',
    ].join('\r\n'),
  );
  return { text: (number) => texts[number % texts.length] ?? '', expect };
}

/** Creates a request as an application sends it. */
export function programPost(posts: readonly Post[]): Shot {
  const [first] = posts;
  const origin = first?.origin ? `\r\nOrigin: ${first.origin}` : '';
  const bodies = posts.map((post) => JSON.stringify(post.body));
  const text = (number: number) => {
    const body = bodies[number % bodies.length] ?? '';
    const head = `POST ${first?.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nX-Forwarded-For: ${address(number)}`;
    return `${head}${origin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  return { text, expect: first?.expect ?? '' };
}

async function runProgram(program: string, args: readonly string[], env: Record<string, string>): Promise<void> {
  await new Promise<void>((done, fail) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error) => (error ? fail(error) : done()));
    child.stdin?.end(`${PASSWORD}\n`);
  });
}

async function makeDatabase(program: string, env: Record<string, string>): Promise<void> {
  await runProgram(program, ['migrate'], env);
  await runProgram(program, ['user', 'add', 'bench', '--password-stdin'], env);
}

/**
 * authsvc as users run it, from dist/ of `checkout`: with rate limits, at the default log level, with the log in a file.
 */
export function authsvc(name: string, checkout: string, store: Store): System {
  const program = join(checkout, 'dist/main.js');
  if (!existsSync(program)) throw new Error(`${program} is missing: build that checkout first`);
  return {
    name,
    store,
    args: [program, 'serve'],
    env: { TRUST_PROXY: 'loopback', UPDATE_CHECK: 'off', MAX_SESSIONS_PER_USER: '10000' },
    readyPath: '/healthz',
    prepare: (env) => makeDatabase(program, env),
    login: {
      path: '/authsvc/api/login',
      body: { username: 'bench', password: PASSWORD },
      expect: '"success":true',
    },
    check: { path: '/authsvc/api/checkSession', expect: '"session_valid":true' },
    verify: (cookies) => ({
      path: '/authsvc/api/verifySession',
      body: { session_id: cookies.get('session_id'), is_encrypt: true },
      expect: '"valid":true',
    }),
    tokens: {
      make: { path: '/api/token', body: { name: 'bench' }, expect: '"token"' },
      verify: (token) => ({ path: '/api/tokens/verify', body: { token }, expect: '"tokenValid":true' }),
    },
  };
}

/** authsvc with two processes, to measure the gain of a second processor. */
export function twoWorkers(store: Store): System {
  const { verify: _verify, tokens: _tokens, args, ...system } = authsvc('authsvc, 2 workers', project, store);
  return { ...system, args: [...args, '--workers', '2'] };
}

function betterAuth(store: Store): System {
  const user = { email: 'bench@example.org', password: PASSWORD };
  const origin = 'http://bench.example.org';
  return {
    name: 'better-auth',
    store,
    args: server('better-auth'),
    env: {},
    readyPath: '/',
    signUp: async (url) => {
      const headers = { 'content-type': 'application/json', origin };
      const body = JSON.stringify({ name: 'bench', ...user });
      const reply = await fetch(`${url}/api/auth/sign-up/email`, { method: 'POST', headers, body });
      if (reply.status !== 200) throw new Error(`better-auth refused the new user: ${await reply.text()}`);
    },
    login: { path: '/api/auth/sign-in/email', body: user, expect: '"token"', origin },
    check: { path: '/api/auth/get-session', expect: '"expiresAt"' },
    application: { path: '/app', expect: '"username":"bench"' },
  };
}

const expressSession: System = {
  name: 'express-session',
  store: 'PostgreSQL',
  args: server('express-session'),
  env: {},
  readyPath: '/',
  login: { path: '/login', body: { username: 'bench', password: PASSWORD }, expect: '"success":true' },
  check: { path: '/check', expect: '"session_valid":true' },
  application: { path: '/check', expect: '"session_valid":true' },
};

const mbkauthe: System = {
  name: 'mbkauthe',
  store: 'PostgreSQL',
  args: server('mbkauthe'),
  env: {},
  readyPath: '/',
  login: {
    path: '/mbkauthe/api/login',
    body: { username: 'bench', password: PASSWORD },
    expect: '"success":true',
  },
  check: { path: '/mbkauthe/api/checkSession', expect: '"sessionValid":true' },
  application: { path: '/app', expect: '"username":"bench"' },
  verify: (cookies) => ({
    path: '/mbkauthe/api/verifySession',
    body: { sessionId: cookies.get('sessionId'), isEncrypt: true },
    expect: '"valid":true',
  }),
};

const applicationLogin: Post = {
  path: '/login',
  body: { username: 'bench', password: PASSWORD },
  expect: '"success":true',
};
const application = { path: '/check', expect: '"username":"bench"' };

/** An application that uses authsvc-client. The service that it asks is its child process and is measured with it. */
const withClient = (store: Store): System => ({
  name: 'authsvc-client',
  store,
  args: server('express-authsvc-client'),
  // All browsers sign in through the application, so the service sees only one client address.
  env: { UPDATE_CHECK: 'off', MAX_SESSIONS_PER_USER: '10000', RATE_LIMITS: 'login=100000/60s' },
  readyPath: '/',
  prepare: (env) => makeDatabase(join(project, 'dist/main.js'), env),
  login: applicationLogin,
  application,
});

const withJose: System = {
  name: 'jose',
  store: 'none',
  args: server('express-jose'),
  env: {},
  readyPath: '/',
  login: applicationLogin,
  application,
};

const bare = (name: string, file: string): System => ({
  name,
  store: 'none',
  args: server(file),
  env: {},
  readyPath: '/',
});

/** Servers that show the minimum cost of a check, a verification or a login. */
export const bareNode = bare('bare node:http', 'bare-node');
export const bareFastify = bare('bare Fastify', 'bare-fastify');
export const bareArgon2 = bare('argon2id alone', 'bare-argon2');
bareArgon2.login = { path: '/', body: {}, expect: '' };

/** Lists all systems to measure. `beside` is another checkout of authsvc, to compare a change. */
export function listSystems(beside: string | undefined): System[] {
  return [
    bareNode,
    bareFastify,
    bareArgon2,
    authsvc('authsvc', project, 'SQLite'),
    authsvc('authsvc', project, 'PostgreSQL'),
    twoWorkers('SQLite'),
    twoWorkers('PostgreSQL'),
    ...(beside
      ? [authsvc('authsvc (beside)', beside, 'SQLite'), authsvc('authsvc (beside)', beside, 'PostgreSQL')]
      : []),
    expressSession,
    betterAuth('SQLite'),
    betterAuth('PostgreSQL'),
    mbkauthe,
    withClient('SQLite'),
    withClient('PostgreSQL'),
    withJose,
  ];
}
