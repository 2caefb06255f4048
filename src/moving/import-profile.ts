import { type ProfileScope, profileScopes } from '../api-tokens/token.ts';
import type { Database, Transaction } from '../db/handle.ts';
import { requireProfile } from '../device-login/add-profile.ts';
import { toProfile } from '../device-login/profile.ts';
import { disableActiveProfile, insertProfile, profileByKey, updateProfile } from '../device-login/queries.ts';
import { recordEvent } from '../events/record-event.ts';
import { parseAppNames } from '../users/fields.ts';
import { type ImportParts, importTransaction, WrittenMeanwhile } from './import-parts.ts';
import type { ImportRun, Outcome } from './import-run.ts';
import { toLineRefusal } from './line-refusal.ts';
import type { RecordReader } from './record-reader.ts';

/** A profile of an import. Fields that the record does not contain are undefined. */
export interface ProfileRecord {
  type: 'profile';
  key: string;
  name: string | undefined;
  scope: ProfileScope | undefined;
  apps: string[] | undefined;
  expiresInDays: number | undefined;
  isActive: boolean | undefined;
}

const DEFAULT_DAYS = 90;

function readScope(reader: RecordReader): ProfileScope | undefined {
  const text = reader.text('scope');
  const scope = profileScopes.find((one) => one === text);
  if (text !== undefined && !scope) throw reader.refusal('scope', `must be one of ${profileScopes.join(', ')}`);
  return scope;
}

/** Fills in the missing fields of a record with those of the existing profile, or with the defaults. */
const complete = (record: ProfileRecord, appName: string, here?: ReturnType<typeof toProfile>) => ({
  key: record.key,
  name: record.name ?? here?.name ?? record.key,
  scope: record.scope ?? here?.scope ?? 'read-only',
  apps: record.apps ?? here?.allowedApps ?? [appName],
  expiresInDays: record.expiresInDays ?? here?.expiresInDays ?? DEFAULT_DAYS,
});

/**
 * Reads a profile from a record.
 *
 * @throws LineRefusal
 */
export function readProfile(reader: RecordReader): ProfileRecord {
  try {
    const record = {
      type: 'profile',
      key: reader.requiredText('key'),
      name: reader.text('name'),
      scope: readScope(reader),
      apps: parseAppNames(reader.texts('allowed_apps')),
      expiresInDays: reader.integer('expires_in_days'),
      isActive: reader.flag('is_active'),
    } as const;
    requireProfile(complete(record, 'any'));
    return record;
  } catch (error) {
    throw toLineRefusal(error, 'profile');
  }
}

async function addNew(tx: Transaction, { appName, actor, now }: ImportParts, record: ProfileRecord): Promise<Outcome> {
  const { key, name, scope, apps, expiresInDays } = requireProfile(complete(record, appName));
  const added = await insertProfile.first(tx, {
    key,
    name,
    scope,
    allowedApps: JSON.stringify(apps),
    expiresInDays,
    now,
  });
  if (!added) throw new WrittenMeanwhile();
  if (record.isActive === false) await disableActiveProfile.first(tx, { key, now });
  const details = { key, change: 'created', fields: ['name', 'scope', 'allowed_apps', 'expires_in_days'] } as const;
  await recordEvent(tx, { type: 'profile.changed', actor, subject: null, details });
  return 'created';
}

/**
 * Adds a profile. If it exists and `run.updates` is set, updates it with the fields of the record.
 *
 * @throws WrittenMeanwhile
 */
export function importProfile(
  database: Database,
  run: ImportRun,
  parts: ImportParts,
  record: ProfileRecord,
): Promise<Outcome> {
  const { appName, actor, now } = parts;
  return importTransaction(database, async (tx) => {
    const row = await profileByKey.first(tx, { key: record.key });
    if (!row) return run.isDry ? 'created' : addNew(tx, parts, record);
    const here = toProfile(row);
    const { apps, ...wanted } = requireProfile(complete(record, appName, here));
    const isActive = record.isActive ?? here.disabledAt === null;
    const fields = [
      ...(wanted.name === here.name ? [] : ['name']),
      ...(wanted.scope === here.scope ? [] : ['scope']),
      ...(JSON.stringify(apps) === row.allowed_apps ? [] : ['allowed_apps']),
      ...(wanted.expiresInDays === here.expiresInDays ? [] : ['expires_in_days']),
      ...(isActive === (here.disabledAt === null) ? [] : ['is_active']),
    ];
    if (!run.updates || fields.length === 0) return 'unchanged';
    if (run.isDry) return 'updated';
    const disabledAt = isActive ? null : (here.disabledAt ?? now);
    await updateProfile.run(tx, { ...wanted, allowedApps: JSON.stringify(apps), disabledAt });
    const details = { key: record.key, change: 'updated', fields } as const;
    await recordEvent(tx, { type: 'profile.changed', actor, subject: null, details });
    return 'updated';
  });
}
