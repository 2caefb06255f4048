import type { Server } from 'node:http';
import type { AnyRoute, Services } from '../http/route.ts';
import type { Settings } from '../settings/table.ts';
import type { Measurements } from './measurements.ts';
import type { ProcessMetrics } from './process-metrics.ts';

/** Creates the counters of the metrics. Loads their code only if METRICS_PORT is set. */
export async function loadMeasurements(
  { METRICS_PORT }: Settings,
  routes: readonly AnyRoute[],
): Promise<Measurements | undefined> {
  if (METRICS_PORT === undefined) return undefined;
  const { Measurements: Made } = await import('./measurements.ts');
  return new Made(routes);
}

interface ProcessParts {
  services: Services;
  server: Server;
  measurements: Measurements | undefined;
  /** Whether this process is a worker. The primary process then serves the metrics. */
  isWorker: boolean;
}

/** Prepares the metrics of a process that serves requests, if METRICS_PORT is set. */
export async function prepareMetrics({ measurements, ...parts }: ProcessParts): Promise<ProcessMetrics | undefined> {
  if (!measurements) return undefined;
  const { createProcessMetrics } = await import('./process-metrics.ts');
  return createProcessMetrics({ ...parts, measurements });
}
