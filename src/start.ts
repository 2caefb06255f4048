import type { FastifyBaseLogger } from 'fastify';
import type { App } from './app.ts';
import { explainListenError } from './cli/listen-problem.ts';
import { createProgram, runProgram } from './cli/program.ts';
import { writeToStderr } from './cli/standard-streams.ts';
import { listenForStop, type StopRequests } from './cli/stop-requests.ts';
import { signalReady, WorkerPool, workerNumber } from './cli/workers.ts';
import { CommandFailure } from './command/command-failure.ts';
import { USAGE } from './command/refusal-words.ts';
import { SECOND_MS, steadyClock } from './lib/clock.ts';
import { programVersion } from './lib/package-root.ts';
import type { MetricsServer } from './metrics/metrics-server.ts';
import { SettingsError } from './settings/settings-error.ts';
import type { Settings } from './settings/table.ts';

/**
 * Returns how long a stop may take before the process exits with code 1. If the stop has to close the connections of
 * slow clients, it still takes less time than this and exits with code 0.
 */
const stopWithinMs = ({ DRAIN_SECONDS }: Settings): number => DRAIN_SECONDS * SECOND_MS + 12_000;
/** The primary process waits this much longer than its workers, so that they can stop first. */
const LONGER_THAN_WORKERS_MS = 1000;

interface Options {
  host?: string;
  port?: string;
  workers?: string;
}

const load = () => Promise.all([import('./app.ts'), import('./http/log.ts'), import('./cli/graceful-stop.ts')]);

/**
 * Serves in this process until a stop is requested. Loads the server code here and not at the top of the file, so
 * that other commands start without it.
 */
async function serveHere(settings: Settings, requests: StopRequests, worker: number | undefined): Promise<void> {
  const [{ createApp }, { createLog, createRequestLog, logOutput }, { stopGracefully }] = await load();
  const output = await logOutput();
  const processLog = createLog(settings.LOG_LEVEL, output);
  const log = worker === undefined ? processLog : processLog.child({ worker });
  let app: App | undefined;
  const stop = async () => app?.stop();
  const isStopping = stopGracefully({ requests, log, words: 'stopping', withinMs: stopWithinMs(settings), stop });
  const made = await createApp({
    settings,
    log,
    logRequest: createRequestLog(log, output),
    isWorker: worker !== undefined,
    showOperator: writeToStderr,
  });
  // If a stop was requested during the start, there are no requests in flight, so the process exits by itself.
  if (isStopping()) return;
  app = made;
  await made.listen().catch(async (error: unknown) => {
    if (isStopping()) return;
    await made.close();
    throw explainListenError(error, { host: settings.HOST, port: settings.PORT });
  });
  if (worker !== undefined) signalReady();
}

/** Serves the metrics of all workers, added up, if METRICS_PORT is set. */
async function serveWorkerMetrics(settings: Settings, log: FastifyBaseLogger): Promise<MetricsServer | undefined> {
  const { METRICS_HOST: host, METRICS_PORT: port } = settings;
  if (port === undefined) return undefined;
  const [{ startMetricsServer }, { WorkerSnapshots }] = await Promise.all([
    import('./metrics/metrics-server.ts'),
    import('./metrics/worker-snapshots.ts'),
  ]);
  const snapshots = new WorkerSnapshots();
  return startMetricsServer({ host, port, collect: () => snapshots.collect(), log });
}

/**
 * Serves with several worker processes. This process prepares the database, holds the port, and replaces workers
 * that die.
 */
async function serveByWorkers(settings: Settings, requests: StopRequests): Promise<void> {
  const [{ prepareForWorkers }, { createLog, logOutput }, { stopGracefully }] = await load();
  const { HOST, PORT, WORKERS, LOG_LEVEL } = settings;
  const log = createLog(LOG_LEVEL, await logOutput());
  const argsFor = (port: number) => ['serve', '--host', HOST, '--port', String(port), '--workers', String(WORKERS)];
  const pool = new WorkerPool({ count: WORKERS, port: PORT, argsFor, log, steady: steadyClock });
  let metrics: MetricsServer | undefined;
  const stop = async () => {
    await pool.stop();
    await metrics?.close();
  };
  const isStopping = stopGracefully({
    requests,
    log,
    words: 'stopping the workers',
    withinMs: stopWithinMs(settings) + LONGER_THAN_WORKERS_MS,
    stop,
  });
  metrics = await serveWorkerMetrics(settings, log);
  await prepareForWorkers({ settings, log });
  if (!isStopping()) await pool.start();
}

/** Runs `read`. If a value from the command line is wrong, throws a usage error of the command. */
function atCommand<T>(given: Record<string, string | undefined>, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isUsage = error instanceof SettingsError && error.keys.some((key) => given[key]);
    throw isUsage ? new CommandFailure(error.message, USAGE) : error;
  }
}

async function serve({ host, port, workers }: Options): Promise<void> {
  const requests = listenForStop();
  const [{ loadSettings }, { useProxies }] = await Promise.all([
    import('./settings/load.ts'),
    import('./lib/outgoing-proxies.ts'),
  ]);
  const overrides: Record<string, string | undefined> = { HOST: host, PORT: port, WORKERS: workers };
  const settings = atCommand(overrides, () => loadSettings({ overrides }));
  await useProxies(settings);
  const worker = workerNumber();
  if (settings.WORKERS > 1 && worker === undefined) await serveByWorkers(settings, requests);
  else await serveHere(settings, requests, worker);
}

async function checkTheme(settings: Settings): Promise<void> {
  const [{ createTheme }, { allPages }] = await Promise.all([import('./ui/theme.ts'), import('./pages.ts')]);
  createTheme(settings, allPages);
}

const code = await runProgram(createProgram({ version: programVersion(), serve, checkTheme }), process.argv.slice(2));
process.exitCode = code;
// A worker that failed to start must exit explicitly, because its channel to the primary process keeps it alive.
if (code !== 0 && workerNumber() !== undefined) process.exit();
