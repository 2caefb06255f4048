import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createOverviewReader } from './admin/overview.ts';
import { addUpCounts, deleteOldCounts } from './admin/overview-queries.ts';
import { deleteExpiredReservations, deleteExpiredTokens } from './api-tokens/queries.ts';
import { createAppSessions } from './app-sessions/create-app-sessions.ts';
import { bringUpToDate } from './cli/bring-up-to-date.ts';
import { createEventSink } from './cli/event-sink.ts';
import { outboxWorkers } from './cli/outbox-workers.ts';
import { CommandFailure } from './command/command-failure.ts';
import { FedChanges } from './db/changes.ts';
import { type Cleaner, retention, startCleaning } from './db/cleaning.ts';
import { openDataSealer } from './db/data-keys.ts';
import type { Database, DatabaseKind } from './db/handle.ts';
import { LookupCache } from './db/lookup-cache.ts';
import { openDatabase } from './db/open.ts';
import { lazyDataSealer } from './delivery/data-sealer.ts';
import { createOutbox } from './delivery/outbox.ts';
import { Outboxes } from './delivery/outboxes.ts';
import { deleteExpiredMessages } from './delivery/queries.ts';
import { createPollPace } from './device-login/poll-pace.ts';
import { deleteOldRequests } from './device-login/queries.ts';
import { userOfRequest } from './diagnostics/guards.ts';
import { createQueryLog, type QueryLog } from './diagnostics/query-log.ts';
import { diagnosticRoutes } from './diagnostics/routes.ts';
import { createNotes, type WriteLine } from './events/event-log.ts';
import { deleteOldAuditEvents } from './events/queries.ts';
import { RefusalQueue } from './events/refusal-queue.ts';
import { deleteExpiredChallenges } from './factors/passkey-queries.ts';
import { deleteExpiredDrafts, deleteExpiredTrusts } from './factors/queries.ts';
import { createCookies } from './http/cookies.ts';
import { createCsrf } from './http/csrf.ts';
import type { LogRequest } from './http/log.ts';
import { deleteOldRateLimits } from './http/queries.ts';
import { createRateLimiter, noRateLimiter, type RateLimiter } from './http/rate-limit.ts';
import { createRequestTraces, type RequestTraces } from './http/request-trace.ts';
import type { Services } from './http/route.ts';
import { buildServer } from './http/server.ts';
import { createStopping } from './http/stopping.ts';
import { createIsTrusted } from './http/trusted-proxies.ts';
import { countForWorkers, windowsFor } from './http/windows.ts';
import { createBackground } from './lib/background.ts';
import { createBrowserReader } from './lib/browser-names.ts';
import { type Clock, steadyClock, systemClock } from './lib/clock.ts';
import { CheckCounts } from './lib/counts.ts';
import { createLatestVersion, findLatestVersion, noLatestVersion } from './lib/latest-version.ts';
import { packageName } from './lib/package-root.ts';
import { createPasswordHasher } from './lib/password-hash.ts';
import { createSealer } from './lib/sealing.ts';
import { SharedWork } from './lib/shared-work.ts';
import type { Measurements } from './metrics/measurements.ts';
import { loadMeasurements, prepareMetrics } from './metrics/prepare.ts';
import { createOpenIdConnect, oidcCleaners, startSweeping } from './oidc/parts.ts';
import { allPages } from './pages.ts';
import { createUnknownAppWarning } from './proxy-auth/unknown-apps.ts';
import { serviceRoutes } from './service-routes.ts';
import { LastSeen, startWritingLastSeen } from './sessions/last-seen.ts';
import { deleteExpiredSessions } from './sessions/queries.ts';
import { createOpenSessionId } from './sessions/sealed-id.ts';
import { sessionSecrets } from './settings/secrets.ts';
import type { Settings } from './settings/table.ts';
import { GuessTurns } from './signin/guess-turns.ts';
import { deleteExpiredPasswordGuesses, deleteExpiredSecondSteps } from './signin/queries.ts';
import { deleteExpiredConsumedStates } from './social/queries.ts';
import { createTheme, type Theme } from './ui/theme.ts';
import { addFirstSuperadmin, draftFirstSuperadmin, firstSuperadminText } from './users/first-superadmin.ts';
import { deleteExpiredPendingEmails } from './users/pending-email-queries.ts';
import { deleteOldRemovedUsers } from './users/queries.ts';
import { deleteOldDeliveries } from './webhooks/queries.ts';
import { overflowWords, WEBHOOK } from './webhooks/queue-deliveries.ts';
import { deleteExpiredWelcomeLinks } from './welcome/queries.ts';

/** Deletes audit events and removed users once they are older than AUDIT_RETENTION_DAYS. */
function startRetention({ database, clock, settings, log }: Services): () => void {
  const days = settings.AUDIT_RETENTION_DAYS;
  if (days === 0) return () => undefined;
  const onFailure = (error: unknown) => log.warn({ err: error }, 'failed to delete old audit events');
  const cleaners = [deleteOldAuditEvents, deleteOldRemovedUsers];
  return startCleaning({ database, now: clock.now, onFailure }, cleaners, retention(days));
}

/** Returns the queries that periodically delete expired rows. */
const cleaners = (kind: DatabaseKind): Cleaner[] => [
  deleteExpiredSessions,
  deleteExpiredSecondSteps,
  deleteExpiredPasswordGuesses,
  deleteExpiredTrusts,
  deleteExpiredDrafts,
  deleteExpiredChallenges,
  deleteExpiredConsumedStates,
  deleteExpiredTokens,
  deleteExpiredReservations,
  deleteOldRequests,
  deleteExpiredWelcomeLinks,
  deleteExpiredPendingEmails,
  deleteExpiredMessages,
  deleteOldDeliveries,
  ...oidcCleaners,
  ...(kind === 'postgres' ? [deleteOldRateLimits, addUpCounts] : [deleteOldCounts]),
];

export interface App {
  services: Services;
  server: FastifyInstance;
  /** Starts to accept connections. Returns the host and port. */
  listen(): Promise<{ host: string; port: number }>;
  /** Keeps serving for DRAIN_SECONDS, so that clients can move to other processes. Then closes. */
  stop(): Promise<void>;
  /** Stops accepting requests, finishes the requests in flight, and closes the database. */
  close(): Promise<void>;
}

interface AppParts {
  settings: Settings;
  log: FastifyBaseLogger;
  logRequest: LogRequest;
  clock?: Clock;
  /** The monotonic clock that limits the age of cached answers. */
  steady?: Clock;
  /** Whether this process is a worker. The primary process has then already prepared the database. */
  isWorker?: boolean;
}

interface ServingParts extends AppParts {
  /** Shows a text to the operator once. Throws if the text could not be written. */
  showOperator(text: string): Promise<void>;
}

interface Diagnostics {
  queries: QueryLog;
  traces: RequestTraces;
}

/** Creates the query monitor if env=dev. Otherwise every query costs only one extra comparison. */
function createDiagnostics({ settings, clock = systemClock }: AppParts): Diagnostics | undefined {
  if (settings.env !== 'dev') return undefined;
  const traces = createRequestTraces();
  return { traces, queries: createQueryLog({ clock, currentRequest: traces.current }) };
}

interface Observers {
  diagnostics: Diagnostics | undefined;
  measurements: Measurements | undefined;
}

function refusalQueue(
  database: Database,
  log: FastifyBaseLogger,
  measurements: Measurements | undefined,
): RefusalQueue {
  return new RefusalQueue({
    database,
    onWritten: measurements?.onAuditRow,
    onTrouble: (trouble) => {
      if ('error' in trouble)
        log.warn({ err: trouble.error }, 'failed to write refusals to the audit log; will try again');
      else log.warn(trouble, 'dropped refusals from the audit log, because too many were waiting to be written');
    },
  });
}

function createLimiter(
  parts: Parameters<typeof windowsFor>[0],
  { RATE_LIMITS }: Settings,
  measurements: Measurements | undefined,
): RateLimiter {
  if (RATE_LIMITS === 'off') return noRateLimiter;
  return createRateLimiter(windowsFor(parts), RATE_LIMITS, measurements?.http.limited);
}

const tellOverflow = (log: FastifyBaseLogger, measurements: Measurements | undefined) => (webhook: string) => {
  log.warn(overflowWords(webhook));
  measurements?.onAttempt(WEBHOOK, 'failed');
};

const latestVersionFor = ({ UPDATE_CHECK }: Settings, clock: Clock) =>
  UPDATE_CHECK === 'off'
    ? noLatestVersion
    : createLatestVersion({ find: () => findLatestVersion(packageName()), clock });

async function createServices(
  { settings, log, logRequest, clock = systemClock, steady = steadyClock, isWorker = false }: AppParts,
  theme: Theme,
  baseUrl: () => string,
  observers: Observers,
  wake: () => void,
): Promise<Services> {
  const { diagnostics, measurements } = observers;
  const writeLine: WriteLine = (fields, message) => log.info(fields, message);
  const outbox = createOutbox({ dataSealer: lazyDataSealer(() => sessionSecrets(settings)), clock, wake });
  const database = await openDatabase(settings.DATABASE_URL, {
    observe: measurements?.observing(diagnostics?.queries.observe) ?? diagnostics?.queries.observe,
    keep: { clock, steady },
    max: settings.DATABASE_POOL_MAX,
    isPatient: false,
    onTrouble: (error, what) => log.warn({ err: error }, what),
    events: createEventSink({
      settings,
      outbox,
      clock,
      baseUrl,
      writeLine,
      onOverflow: tellOverflow(log, measurements),
      meter: measurements?.eventWriter,
    }),
  });
  const notes = createNotes(writeLine, clock, refusalQueue(database, log, measurements));
  const secrets = sessionSecrets(settings);
  const sealer = createSealer(secrets);
  const dataSealer = await openDataSealer(database, secrets, clock.now());
  const cookies = createCookies(settings, clock);
  const registryCache: Services['registryCache'] = new LookupCache(database.changes, 1);
  return {
    settings,
    log,
    logRequest,
    clock,
    database,
    notes: measurements?.counting(notes) ?? notes,
    sealer,
    dataSealer,
    outbox,
    openSessionId: createOpenSessionId(sealer),
    sessionCache: new LookupCache(database.changes),
    sessionChecks: new CheckCounts(),
    lastSeen: new LastSeen(),
    tokenCache: new LookupCache(database.changes),
    tokenChecks: new CheckCounts(),
    registryCache,
    ...createAppSessions({ database, dataSealer, registryCache, clock, log }),
    emailCache: new LookupCache(database.changes),
    ...createOpenIdConnect(database),
    webhookLookUps: new SharedWork(),
    isTrustedProxy: createIsTrusted(settings.TRUST_PROXY),
    warnOfUnknownApp: createUnknownAppWarning(log),
    isPollTooFast: createPollPace(clock),
    cookies,
    csrf: createCsrf(sealer, cookies),
    guessTurns: new GuessTurns(),
    readOverview: createOverviewReader(),
    browserNames: createBrowserReader(),
    passwords: createPasswordHasher(settings.WORKERS, dataSealer, measurements?.onHash),
    limiter: createLimiter({ database, clock, isWorker }, settings, measurements),
    meter: measurements?.http,
    ...theme,
    background: createBackground((error) => log.warn({ err: error }, 'background task failed')),
    latestVersion: latestVersionFor(settings, clock),
    stopping: createStopping(),
    baseUrl,
  };
}

/**
 * Starts to receive changes that other processes make in PostgreSQL. With SQLite there is nothing to start, because
 * each process checks the file itself.
 *
 * @returns a function that stops receiving
 */
async function followChanges({ database, settings, log }: Services, steady: Clock): Promise<() => Promise<void>> {
  const { changes } = database;
  if (!(changes instanceof FedChanges)) return async () => undefined;
  const { startChangeFeed } = await import('./db/change-feed.ts');
  return startChangeFeed({
    url: settings.DATABASE_LISTEN_URL ?? settings.DATABASE_URL,
    database,
    changes,
    steady,
    log,
  });
}

/** Prepares the database and the rate limits that all workers share. Runs once, in the primary process. */
export async function prepareForWorkers(parts: Omit<AppParts, 'logRequest'>): Promise<void> {
  // Called first, because it throws if a template or a picture is unusable. The database is then not changed.
  createTheme(parts.settings, allPages);
  await bringUpToDate(parts);
  if (parts.settings.RATE_LIMITS !== 'off') countForWorkers(parts.clock ?? systemClock);
}

function refuseUntold(log: FastifyBaseLogger, error: unknown): never {
  const text = 'the password of the first superadmin could not be written to standard error, so no user was added';
  log.fatal({ err: error }, text);
  throw new CommandFailure(`The service has ended: ${text}.`);
}

/**
 * The update check starts this long after the service. The check loads a fifth as much code as the whole start, so an
 * earlier check would delay the first visitors.
 */
const UPDATE_CHECK_AFTER_MS = 1000;

/** Prepares the database and builds the whole service from its settings. */
export async function createApp(parts: ServingParts): Promise<App> {
  const { settings } = parts;
  let port = settings.PORT;
  const baseUrl = () => settings.BASE_URL ?? `http://localhost:${port}`;
  const diagnostics = createDiagnostics(parts);
  const theme = createTheme(settings, allPages);
  if (!parts.isWorker) await bringUpToDate(parts);
  const outboxes = new Outboxes();
  const ownRoutes = diagnostics ? diagnosticRoutes(diagnostics.queries) : [];
  const routes = [...serviceRoutes(settings.identityProviders), ...ownRoutes];
  const measurements = await loadMeasurements(settings, routes);
  const services = await createServices(parts, theme, baseUrl, { diagnostics, measurements }, () => outboxes.wake());
  const draft = await draftFirstSuperadmin(services);
  const server = buildServer(routes, services);
  const metrics = await prepareMetrics({
    services,
    server: server.server,
    measurements,
    isWorker: parts.isWorker === true,
  });
  diagnostics?.traces.follow(server, userOfRequest);
  const { database, clock, log } = services;
  const onFailure = (error: unknown) => log.warn({ err: error }, 'failed to delete expired rows');
  const stopFollowing = await followChanges(services, parts.steady ?? steadyClock);
  const stopCleaning = startCleaning({ database, now: clock.now, onFailure }, cleaners(database.kind));
  const stopRetention = startRetention(services);
  const stopWritingLastSeen = startWritingLastSeen(services);
  const stopSweeping = startSweeping(services);
  outboxes.add(...outboxWorkers(services, measurements?.onAttempt));
  const close = async () => {
    stopCleaning();
    stopRetention();
    stopSweeping();
    services.changeStreams.stop();
    await server.close();
    await outboxes.stop();
    await stopWritingLastSeen();
    await services.background.finish();
    await services.notes.finish();
    await stopFollowing();
    await metrics?.close();
    await services.database.close();
  };
  return {
    services,
    server,
    listen: async () => {
      const { HOST: host, PORT } = settings;
      await metrics?.listen();
      await server.listen({ host, port: PORT, listenTextResolver: (address) => `listening at ${address}` });
      setTimeout(() => services.latestVersion.get(), UPDATE_CHECK_AFTER_MS).unref();
      const address = server.server.address();
      port = typeof address === 'object' && address ? address.port : settings.PORT;
      // The first superadmin is added after the start has succeeded. Otherwise its password might never be shown.
      const tell = (text: string) => parts.showOperator(text).catch((error: unknown) => refuseUntold(log, error));
      outboxes.start();
      if (draft) await addFirstSuperadmin(services, draft, () => tell(firstSuperadminText(draft, baseUrl())));
      return { host: settings.HOST, port };
    },
    stop: async () => {
      services.changeStreams.stop();
      await services.stopping.drain(settings.DRAIN_SECONDS);
      await close();
    },
    close,
  };
}
