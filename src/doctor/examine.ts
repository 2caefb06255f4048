import type { Database } from '../db/handle.ts';
import { openDatabase } from '../db/open.ts';
import { placeOf } from '../db/place.ts';
import { describeForeignPasskeys } from '../factors/foreign-passkeys.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { useProxies } from '../lib/outgoing-proxies.ts';
import { oldestNode } from '../lib/package-root.ts';
import { randomText } from '../lib/random.ts';
import { createSealer } from '../lib/sealing.ts';
import { within } from '../lib/within.ts';
import { loadSettings } from '../settings/load.ts';
import { publicUrl } from '../settings/public-url.ts';
import { existingSecrets, secretFile } from '../settings/secrets.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Settings } from '../settings/table.ts';
import { checkBaseUrl } from './check-base-url.ts';
import { checkChangeFeed } from './check-change-feed.ts';
import { checkClock } from './check-clock.ts';
import { checkCookies } from './check-cookies.ts';
import { checkDatabase, checkMigrations } from './check-database.ts';
import { checkDataFolder, checkDisk } from './check-files.ts';
import { checkMail } from './check-mail.ts';
import { checkNode } from './check-node.ts';
import { checkProviders } from './check-providers.ts';
import { checkProxy, FORGED_ADDRESS } from './check-proxy.ts';
import { checkSecrets, findKeyFileFault } from './check-secrets.ts';
import { checkSuperadmin } from './check-superadmin.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { type CheckName, checkNames, type Finding, failure, fine, skipped } from './finding.ts';
import { type Check, runChecks } from './run-checks.ts';
import { type ProbeAnswer, sendProbe } from './send-probe.ts';

/** The results of all checks, in the order of the report. */
export type Findings = (Finding & { name: CheckName })[];

interface Parts {
  clock: Clock;
  /** The version of Node.js that runs this command. */
  node: string;
  /** Throws a SettingsError if the service would not start with the templates and pictures that the settings name. */
  checkTheme(settings: Settings): Promise<void>;
}

const USABLE = fine('The service can start with these settings.');

/** Converts a SettingsError to one result. Its message has one line for each invalid setting. */
function refusedSettings(error: SettingsError): Finding {
  const [first = '', ...faults] = error.message.split('\n').map((line) => line.trim());
  return failure(
    [first, faults.join('; ')].filter(Boolean).join(' '),
    'Correct the settings in the environment or in .env; docs/settings.md lists all settings.',
  );
}

async function readSettings({ checkTheme }: Parts): Promise<Settings | SettingsError> {
  try {
    const settings = loadSettings();
    await checkTheme(settings);
    return settings;
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
}

/** Checks that the settings fit the stored data. The service would not start otherwise. */
async function checkSettings(database: Database, settings: Settings): Promise<Finding> {
  const refused = await describeForeignPasskeys(database, settings);
  return refused === undefined ? USABLE : refusedSettings(new SettingsError(refused));
}

interface Probing {
  baseUrl: string;
  plain(): Promise<ProbeAnswer>;
  forged(): Promise<ProbeAnswer | undefined>;
}

/** Returns the session secrets. If they cannot be read, returns a random one: the service will then refuse the probe. */
function secretsOf(settings: Settings): string[] {
  const secrets = findKeyFileFault(settings) ? [] : existingSecrets(settings);
  return secrets.length > 0 ? secrets : [randomText(32)];
}

/** Prepares the two probes. The plain one is sent only once, even if several checks use its reply. */
function prepareProbes(settings: Settings, clock: Clock): Probing {
  const baseUrl = publicUrl(settings);
  const send = (headers: Record<string, string>) =>
    sendProbe({ baseUrl, sealer: createSealer(secretsOf(settings)), now: clock.now() }, headers);
  let plain: Promise<ProbeAnswer> | undefined;
  return {
    baseUrl,
    plain: async () => {
      plain ??= send({});
      return plain;
    },
    forged: () => send({ 'x-forwarded-for': FORGED_ADDRESS }).catch(() => undefined),
  };
}

const always = (finding: Finding): Check => ({ needs: [], run: async () => finding });
const atOnce = (run: () => Finding | Promise<Finding>): Check => ({ needs: [], run: async () => run() });

/** Returns the checks that use the database. */
function databaseChecks(settings: Settings, database: Database, clock: Clock) {
  const after = (need: CheckName, run: () => Promise<Finding>): Check => ({ needs: [need], run });
  return {
    settings: { ...after('migrations', () => checkSettings(database, settings)), otherwise: USABLE },
    database: atOnce(() => checkDatabase(database, settings)),
    migrations: after('database', () => checkMigrations(database)),
    secrets: {
      ...after('migrations', () => checkSecrets(database, settings)),
      first: () => findKeyFileFault(settings),
    },
    'change-feed': after('database', () => checkChangeFeed(database, settings)),
    clock: after('migrations', () => checkClock(database, clock)),
    superadmin: after('migrations', () => checkSuperadmin(database, settings)),
    webhooks: after('migrations', () => checkWebhooks(database, clock.now())),
  };
}

/** Returns the checks of the path from a browser to the service. */
function wayChecks(settings: Settings, clock: Clock) {
  const { baseUrl, plain, forged } = prepareProbes(settings, clock);
  const isUnknown = settings.BASE_URL === undefined && settings.PORT === 0;
  return {
    'base-url': isUnknown
      ? always(skipped('BASE_URL is not set and PORT is 0, so the address is not known.'))
      : atOnce(() => checkBaseUrl(baseUrl, plain(), clock)),
    proxy: {
      needs: ['base-url'] as const,
      run: async () => checkProxy({ settings, baseUrl, plain: await plain(), forged: await forged() }),
    },
    cookies: atOnce(() => checkCookies(settings)),
  };
}

function checksOf(settings: Settings, database: Database, { clock, node }: Parts): Record<CheckName, Check> {
  const place = placeOf(settings.DATABASE_URL);
  return {
    node: atOnce(() => checkNode(node, oldestNode(), clock.now())),
    'data-folder': atOnce(() => checkDataFolder(place, secretFile(settings))),
    disk: atOnce(() => checkDisk(place)),
    ...databaseChecks(settings, database, clock),
    ...wayChecks(settings, clock),
    providers: atOnce(() => checkProviders(settings, clock)),
    mail: atOnce(() => checkMail(settings)),
  };
}

/** Returns the report if the settings are invalid. Only Node.js can be checked without settings. */
function reportWithoutSettings(error: SettingsError, { clock, node }: Parts): Findings {
  const known: Partial<Record<CheckName, Finding>> = {
    node: checkNode(node, oldestNode(), clock.now()),
    settings: refusedSettings(error),
  };
  const others = skipped('Not checked, because settings failed.');
  return checkNames.map((name) => ({ name, ...(known[name] ?? others) }));
}

/** Maximum number of checks that use the database at the same time. */
const CONNECTIONS = 3;
const CLOSE_WITHIN_MS = SECOND_MS;

/**
 * Examines an installation: its settings, files and database, the path from browsers to it, and the servers that it needs.
 * Changes nothing.
 */
export async function examine(parts: Parts): Promise<Findings> {
  const settings = await readSettings(parts);
  if (settings instanceof SettingsError) return reportWithoutSettings(settings, parts);
  await useProxies(settings);
  const database = await openDatabase(settings.DATABASE_URL, {
    max: CONNECTIONS,
    isPatient: false,
    isReadOnly: true,
    leavesNoFiles: true,
    onTrouble: () => undefined,
  });
  try {
    return await runChecks(checksOf(settings, database, parts));
  } finally {
    await within(database.close(), CLOSE_WITHIN_MS, () => new Error('late')).catch(() => undefined);
  }
}
