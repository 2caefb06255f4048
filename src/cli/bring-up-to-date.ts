import type { FastifyBaseLogger } from 'fastify';
import { openDatabase } from '../db/open.ts';
import { requireAnswer, toDatabaseError } from '../db/reach.ts';
import { fewConnections } from '../doctor/check-database.ts';
import { describeForeignPasskeys } from '../factors/foreign-passkeys.ts';
import { unreadableFactorsText } from '../factors/unreadable.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { lacksPasskeyHost } from '../settings/passkey-party.ts';
import { sessionSecrets } from '../settings/secrets.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Settings } from '../settings/table.ts';
import { warnAboutProviders } from '../social/warn-about-providers.ts';
import { prepareDatabase } from './prepare-database.ts';

interface Parts {
  settings: Settings;
  log: FastifyBaseLogger;
  clock?: Clock;
}

/** Prepares the database on a separate connection. It has no time limit, because another process may be preparing it too. */
async function prepareOnce({ settings, clock = systemClock }: Parts) {
  const secrets = sessionSecrets(settings);
  const database = await openDatabase(settings.DATABASE_URL, { max: 2, isPatient: true, onTrouble: () => undefined });
  try {
    await requireAnswer(database);
    const prepared = await prepareDatabase(database, { secrets, now: clock.now(), makesFurtherKey: true });
    const few = await fewConnections(database, settings);
    return { ...prepared, few, foreignPasskeys: await describeForeignPasskeys(database, settings) };
  } catch (error) {
    throw toDatabaseError(database, error);
  } finally {
    await database.close();
  }
}

/** Migrates the database and prepares its keys. Logs a warning for each problem in the settings or the database. */
export async function bringUpToDate(parts: Parts): Promise<void> {
  const { settings, log } = parts;
  warnAboutProviders({ settings, log });
  if (settings.IS_DEPLOYED && settings.TRUST_PROXY === true)
    log.warn({}, 'TRUST_PROXY=true lets any client claim another address: list the addresses of the proxies');
  if (lacksPasskeyHost(settings))
    log.warn({}, 'passkeys are off: the public URL has an IP address, but needs a host name');
  const { applied, unreadable, few, foreignPasskeys } = await prepareOnce(parts);
  if (foreignPasskeys !== undefined) throw new SettingsError(foreignPasskeys);
  if (applied.length > 0) log.info({ migrations: applied.length }, 'database brought up to date');
  if (few) log.warn({}, `${few.message} ${few.hint}`);
  if (unreadable > 0) log.error({ users: unreadable }, unreadableFactorsText(unreadable));
}
