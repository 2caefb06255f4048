import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Services } from '../http/route.ts';
import { programVersion } from '../lib/package-root.ts';
import type { DatabaseWatch } from './database-watch.ts';
import { counter, type Family, gauge } from './families.ts';
import type { Measurements } from './measurements.ts';

type Counted = Pick<Services, 'sessionChecks' | 'tokenChecks' | 'passwords' | 'database' | 'notes' | 'changeStreams'>;

interface SnapshotParts {
  services: Counted;
  measurements: Measurements;
  watch: DatabaseWatch;
  /** Returns how many client connections are open. */
  connections(): Promise<number>;
}

function checkFamilies({ sessionChecks, tokenChecks }: Counted): Family[] {
  const samples = (checks: typeof sessionChecks) =>
    checks.entries().map(({ answer, source, count }) => ({ value: count, labels: { answer, source } }));
  return [
    counter('session_checks_total', 'Number of session checks by other programs, by answer.', samples(sessionChecks)),
    counter('token_checks_total', 'Number of API token checks by other programs, by answer.', samples(tokenChecks)),
  ];
}

function databaseFamilies({ database }: Counted, watch: DatabaseWatch): Family[] {
  const { total, idle, waiting } = database.connections();
  const states = { idle, busy: total - idle };
  return [
    gauge('db_up', '1 if the database answers, else 0.', Number(watch.isUp), 'min'),
    gauge(
      'change_feed_up',
      '1 if the service is notified of changes by other processes, else 0.',
      Number(watch.isFeedUp),
      'min',
    ),
    {
      ...gauge('db_pool_connections', 'Number of database connections, by state.', 0),
      values: Object.entries(states).map(([state, value]) => ({ value, labels: { state } })),
    },
    gauge('db_pool_waiting', 'Number of queries that wait for a connection.', waiting),
    gauge('mails_waiting', 'Number of mails that wait to be sent.', watch.mailsWaiting, 'max'),
    gauge('webhooks_waiting', 'Number of webhook deliveries that wait to be sent.', watch.webhooksWaiting, 'max'),
  ];
}

/**
 * Creates the registry for the process metrics of prom-client. It keeps their default names, because every Node.js
 * program uses them.
 */
function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Reads the process metrics. Values that are not measured yet are left out. With several processes, the start time
 * is that of the oldest process.
 */
const processFamilies = async (registry: Registry): Promise<object[]> =>
  (await registry.getMetricsAsJSON()).map((family) => ({
    ...family,
    values: family.values.filter(({ value }) => !Number.isNaN(value)),
    ...(family.name === 'process_start_time_seconds' ? { aggregator: 'min' } : {}),
  }));

/** Creates the function that reads every metric of this process. Reading runs no database query. */
export function createSnapshot({ services, measurements, watch, connections }: SnapshotParts) {
  const registry = processRegistry();
  const build: Family = {
    ...gauge('build_info', 'Always 1; the labels hold the version of the service and of Node.js.', 1, 'first'),
    values: [{ value: 1, labels: { version: programVersion(), node: process.versions.node } }],
  };
  return async (): Promise<object[]> => [
    build,
    ...measurements.families(),
    ...checkFamilies(services),
    ...databaseFamilies(services, watch),
    counter(
      'audit_dropped_total',
      'Number of refusals that were not written to the audit log because too many were waiting.',
      [{ value: services.notes.dropped(), labels: {} }],
    ),
    gauge('hash_waiting', 'Number of passwords that wait to be hashed.', services.passwords.load().waiting),
    gauge('connections', 'Number of open client connections.', await connections()),
    gauge('streams', 'Number of open event streams to applications.', services.changeStreams.size),
    gauge('workers', 'Number of processes that serve requests.', 1),
    ...(await processFamilies(registry)),
  ];
}
