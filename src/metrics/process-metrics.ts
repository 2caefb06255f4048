import type { Server } from 'node:http';
import type { Services } from '../http/route.ts';
import { DatabaseWatch } from './database-watch.ts';
import type { Measurements } from './measurements.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';
import { createSnapshot } from './snapshot.ts';
import { answerPrimary } from './worker-snapshots.ts';

interface ProcessParts {
  services: Services;
  server: Server;
  measurements: Measurements;
  /** Whether this process is a worker. The primary process then serves /metrics. */
  isWorker: boolean;
}

/** The metrics of one process that serves requests. */
export interface ProcessMetrics {
  /** Starts to serve the metrics. Throws CommandFailure if it cannot listen at the host and port. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Prepares the metrics of a process. A worker sends them to the primary process; any other process serves them
 * itself.
 */
export function createProcessMetrics({ services, server, measurements, isWorker }: ProcessParts): ProcessMetrics {
  const watch = new DatabaseWatch(services);
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
  const snapshot = createSnapshot({ services, measurements, watch, connections });
  let listener: MetricsServer | undefined;
  return {
    listen: async () => {
      if (isWorker) return answerPrimary(snapshot);
      const { log, settings } = services;
      listener = await startMetricsServer({
        host: settings.METRICS_HOST,
        port: settings.METRICS_PORT ?? 0,
        collect: async () => [await snapshot()],
        log,
      });
    },
    close: async () => {
      await listener?.close();
      await watch.stop();
    },
  };
}
