#!/usr/bin/env node
import { explainListenError } from './cli/listen-problem.ts';
import { createProgram, runProgram } from './cli/program.ts';
import { programVersion } from './kit/package-root.ts';
import { loadSettings } from './settings/load.ts';

const STOP_WITHIN_MS = 10_000;

/** Runs until a signal stops it. The server is loaded only here: commands start without it. */
async function serve({ host, port }: { host?: string; port?: string }): Promise<void> {
  const settings = loadSettings({ overrides: { HOST: host, PORT: port } });
  const [{ createApp }, { createLog }, { default: closeWithGrace }] = await Promise.all([
    import('./app.ts'),
    import('./http/log.ts'),
    import('close-with-grace'),
  ]);
  const log = createLog(settings.LOG_LEVEL);
  const starting = createApp({ settings, log });
  const skip = ['beforeExit' as const];
  closeWithGrace({ delay: STOP_WITHIN_MS, logger: false, skip }, async ({ err, signal }) => {
    if (err) log.fatal({ err }, 'stopping after an error that nobody caught');
    else log.info({ signal }, 'stopping');
    await (await starting).close();
  });
  const app = await starting;
  await app.listen().catch(async (error: unknown) => {
    await app.close();
    throw explainListenError(error, { host: settings.HOST, port: settings.PORT });
  });
}

process.exitCode = await runProgram(createProgram({ version: programVersion(), serve }), process.argv.slice(2));
