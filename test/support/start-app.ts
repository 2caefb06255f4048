import { createApp } from '../../src/app.ts';
import { systemActor } from '../../src/events/actor.ts';
import type { Change } from '../../src/events/change.ts';
import { createLog, createRequestLog } from '../../src/http/log.ts';
import type { Services } from '../../src/http/route.ts';
import { randomText } from '../../src/lib/random.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { addUser } from '../../src/users/add-user.ts';
import { findUser } from '../../src/users/find-user.ts';
import type { User } from '../../src/users/user.ts';
import { Client } from './client.ts';
import { type DatabaseKind, type FreshDatabase, freshDatabase } from './each-database.ts';
import { type TestClock, testClock } from './test-clock.ts';

export const PASSWORD = 'right-horse-7';
export const MAIN_SECRET = 'main-secret-of-the-tests-0123456789';

export interface StartOptions {
  database: DatabaseKind | FreshDatabase;
  /** Settings as texts, in addition to those that tests need. */
  settings?: Record<string, string>;
  clock?: TestClock;
}

export interface SeededUser extends User {
  password: string;
}

interface SeedOptions {
  username?: string;
  password?: string;
  fullName?: string;
  role?: string;
  apps?: string[];
  image?: string;
  isInactive?: boolean;
}

/** The context of a test, or a hook that several tests share. When it ends, it stops the service. */
interface Owner {
  onTestFinished(stop: () => Promise<void>): void;
}

/** A running service with a client, and functions that add users to it. */
export interface TestApp {
  services: Services;
  clock: TestClock;
  port: number;
  url: string;
  /** Returns the lines logged so far, as parsed JSON objects. */
  log(): Record<string, unknown>[];
  /** Returns the parts of a change that a rule needs. The actor is the service itself and the time is now. */
  change(): Change;
  /** Creates a client without cookies. */
  client(): Client;
  seedUser(options?: SeedOptions): Promise<SeededUser>;
  /** Creates a client in which the user has signed in. */
  signIn(user: { username: string; password: string }): Promise<Client>;
  user(username: string): Promise<User | undefined>;
}

function logSink() {
  const lines: string[] = [];
  return { write: (line: string) => void lines.push(line), lines };
}

function parseLine(line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Starts the real service in this process, on a free port and with a new database. It runs until its owner ends. */
export async function startApp(
  t: Owner,
  { database, settings = {}, clock = testClock() }: StartOptions,
): Promise<TestApp> {
  const fresh = typeof database === 'string' ? await freshDatabase(database) : database;
  const defaults = {
    PORT: '0',
    DATABASE_URL: fresh.url,
    SESSION_SECRET_KEY: 'session-secret-of-the-tests-0123456789',
    MAIN_SECRET_TOKEN: MAIN_SECRET,
    TRUST_PROXY: 'true',
    UPDATE_CHECK: 'off',
    MAX_SESSIONS_PER_USER: '100',
  };
  const sink = logSink();
  const log = createLog('info', sink);
  const app = await createApp({
    settings: loadSettings({ env: { ...defaults, ...settings }, folder: fresh.folder }),
    log,
    logRequest: createRequestLog(log, sink),
    clock,
    showOperator: async () => undefined,
  });
  const { port } = await app.listen();
  t.onTestFinished(async () => {
    await app.close();
    if (typeof database === 'string') await fresh.drop();
  });
  const { services } = app;
  const client = () => new Client(() => port);
  const change = (): Change => ({ database: services.database, now: clock.now(), actor: systemActor });
  return {
    services,
    clock,
    port,
    url: `http://127.0.0.1:${port}`,
    log: () => sink.lines.map(parseLine),
    change,
    client,
    seedUser: async ({
      username = `user-${randomText(6)}`,
      password = PASSWORD,
      role = 'normaluser',
      apps,
      ...rest
    } = {}) => {
      const needs = { ...change(), passwords: services.passwords, application: services.settings };
      const user = await addUser(needs, { name: username, password, role, apps, ...rest });
      return { ...user, password };
    },
    signIn: async (user) => {
      const signedIn = client();
      const reply = await signedIn.login(user);
      if (reply.status !== 200) throw new Error(`the sign-in was refused: ${reply.text}`);
      return signedIn;
    },
    user: (username) => findUser(services.database, username),
  };
}
