// Runs a command with its own PostgreSQL server: npx tsx tools/with-postgres.ts COMMAND [ARGUMENTS…]. The command gets the
// server's URL in POSTGRES_URL, and each argument `{url}` is replaced by it. Exits with the exit code of the command.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { startPostgres } from '../test/support/postgres.ts';
import { exitWith } from './exit-with.ts';

function run(command: string, args: string[], url: string): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, POSTGRES_URL: url } });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
}

async function main(): Promise<number> {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) {
    process.stderr.write('usage: tsx tools/with-postgres.ts COMMAND [ARGUMENTS…]\n');
    return 2;
  }
  const server = await startPostgres();
  try {
    return await run(
      command,
      args.map((argument) => (argument === '{url}' ? server.url : argument)),
      server.url,
    );
  } finally {
    await server.stop();
  }
}

exitWith(main, ({ message }) => message);
