import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from './client.ts';
import type { FreshDatabase } from './each-database.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The built service in a process of its own. */
export interface ServiceProcess {
  url: string;
  /** A client without cookies. */
  client(): Client;
  /** Ends the process at once, as a power cut would (SIGKILL), or orderly; one that has ended stays so. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

const environment = ({ url, folder }: FreshDatabase, settings: Record<string, string>) => ({
  PATH: process.env.PATH,
  HOME: folder,
  PORT: '0',
  DATABASE_URL: url,
  SESSION_SECRET_KEY: 'session-secret-of-the-tests-0123456789',
  TRUST_PROXY: 'true',
  UPDATE_CHECK: 'off',
  env: 'dev',
  RATE_LIMITS: 'off',
  MAX_SESSIONS_PER_USER: '100',
  ...settings,
});

async function listeningPort(output: Readable, complaint: () => string): Promise<number> {
  for await (const line of createInterface(output)) {
    const [, port] = /listening on port (\d+)/.exec(line) ?? [];
    if (port) return Number(port);
  }
  throw new Error(`the service ended before it listened: ${complaint()}`);
}

/** Starts `authsvc serve` from dist/ on this database and waits until it listens. */
export async function startServiceProcess(
  database: FreshDatabase,
  settings: Record<string, string> = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: database.folder,
    env: environment(database, settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'exit');
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  const port = await listeningPort(child.stdout, () => complaint);
  child.stdout.resume();
  return {
    url: `http://127.0.0.1:${port}`,
    client: () => new Client(() => port),
    end: async (signal) => {
      child.kill(signal);
      await gone;
    },
  };
}
