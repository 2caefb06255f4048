import { refuseComplaints } from './complaints.ts';
import { crossChecks } from './cross-checks.ts';
import { readProviders } from './identity-providers.ts';
import { RATE_LIMITS_FORM, unknownSocialLimits } from './limits.ts';
import { assignment, createReader, type Reader, type Sources } from './reader.ts';
import type { Row } from './row.ts';
import { type SettingKey, type Settings, settingsTable, type TableSettings } from './table.ts';

const keys = Object.keys(settingsTable).filter((key): key is SettingKey => key in settingsTable);

/**
 * Returns whether every key has an entry. Each value was parsed by the row of its key, so a complete record has the
 * type of the settings.
 */
function isComplete(values: Record<string, unknown>): values is TableSettings {
  return keys.every((key) => key in values);
}

function readTable(reader: Reader): TableSettings {
  const isDeployed = reader.read('IS_DEPLOYED', settingsTable.IS_DEPLOYED) === true;
  const rowOf = (key: SettingKey): Row<unknown> => {
    const row: Row<unknown> = settingsTable[key];
    return isDeployed && row.deployedDefault !== undefined ? { ...row, default: row.deployedDefault } : row;
  };
  const values = Object.fromEntries(keys.map((key) => [key, reader.read(key, rowOf(key))]));
  if (!isComplete(values)) throw new Error('a setting has no row');
  for (const [key, { expected, example = settingsTable[key].example }] of crossChecks(values))
    reader.complain(key, expected, assignment(key, example));
  return values;
}

/**
 * Reads all settings. For each key the environment comes first, then `.env`, then the JSON object authsvcShared. A key
 * that is missing or empty in one place is read from the next.
 *
 * @throws SettingsError that lists every invalid key with what was expected and an example; it never repeats the value
 *   of a secret
 */
export function loadSettings(sources: Sources = {}): Settings {
  const reader = createReader(sources);
  const settings = readTable(reader);
  const identityProviders = readProviders(settings, reader);
  const names = identityProviders.map(({ name }) => name);
  if (unknownSocialLimits(settings.RATE_LIMITS, names).length > 0)
    reader.complain('RATE_LIMITS', RATE_LIMITS_FORM, assignment('RATE_LIMITS', settingsTable.RATE_LIMITS.example));
  refuseComplaints(reader);
  return { ...settings, identityProviders };
}
