import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import type { Owner } from '../lifecycle/support.ts';
import { Client } from '../support/client.ts';

/** Starts `application.js` in a separate process. Returns a function that creates its visitors. */
export async function startApplication(t: Owner, server: string, key: string, secret: string): Promise<() => Client> {
  const program = join(import.meta.dirname, 'application.js');
  const child = spawn(process.execPath, [program, server, key, secret], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return () => new Client(() => Number(line));
}
