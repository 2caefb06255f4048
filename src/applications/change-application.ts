import type { ApplicationRow } from '../db/schema.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import type { WithSecret } from './add-application.ts';
import { toApplication } from './application.ts';
import { type ApplicationFields, type FieldRules, parseFields } from './fields.ts';
import { getLockedApplication, type SeenApplication } from './find-application.ts';
import { type ApplicationColumns, decidedColumns, updateApplication } from './queries.ts';
import { hashSecret, newSecret } from './secret.ts';

export interface ApplicationChange extends ApplicationFields {
  isActive?: boolean | undefined;
}

/**
 * Returns the columns that a change sets to a new value.
 *
 * @throws AppError FIELD_INVALID
 */
export function changedColumns(
  row: ApplicationRow,
  rules: FieldRules,
  change: ApplicationFields,
): Partial<ApplicationColumns> {
  const parsed = parseFields(withKept(change, row), rules, change.isPublic ?? row.is_public === 1);
  const differs = (name: keyof ApplicationColumns) => parsed[name] !== undefined && parsed[name] !== row[name];
  return Object.fromEntries(decidedColumns.filter(differs).map((name) => [name, parsed[name]]));
}

/** Returns the secrets after a change of `isPublic`. A confidential application gets a new secret; a public one has none. */
function secretsFor(isPublic: number | undefined) {
  if (isPublic === undefined) return { columns: {} };
  const none = { old_secret_hash: null, old_secret_expires_at: null };
  if (isPublic === 1) return { columns: { ...none, secret_hash: null } };
  const secret = newSecret();
  return { secret, columns: { ...none, secret_hash: hashSecret(secret) } };
}

function changeWord(fields: readonly string[], isActive: boolean | undefined) {
  if (fields.join() !== 'is_active') return 'updated';
  return isActive ? 'enabled' : 'disabled';
}

/**
 * Adds the stored URIs and the stored PKCE setting to a change that makes an application public or confidential. They
 * are then checked too, because not every value is valid for both kinds.
 */
const withKept = (change: ApplicationFields, row: ApplicationRow): ApplicationFields => {
  if (change.isPublic === undefined) return change;
  const { redirectUris, postLogoutRedirectUris, pkceRequired } = toApplication(row);
  return {
    ...change,
    redirectUris: change.redirectUris ?? redirectUris,
    postLogoutRedirectUris: change.postLogoutRedirectUris ?? postLogoutRedirectUris,
    pkceRequired: change.pkceRequired ?? pkceRequired,
  };
};

/**
 * Changes an application. If nothing differs, writes nothing, keeps the version and records no event.
 *
 * @param which the key, or the key and version of the application as the console showed it
 * @returns the application, and a new secret if it becomes confidential
 * @throws AppError FIELD_INVALID; APPLICATION_NOT_FOUND; CHANGED_MEANWHILE if the application has another version now
 */
export async function changeApplication(
  { database, now, actor }: Change,
  rules: FieldRules,
  which: string | SeenApplication,
  change: ApplicationChange,
): Promise<WithSecret> {
  return database.transaction(async (tx) => {
    const before = await getLockedApplication(tx, which);
    const { isActive } = change;
    const columns = changedColumns(before, rules, change);
    const changesState = isActive !== undefined && isActive !== (before.disabled_at === null);
    const fields = [...Object.keys(columns), ...(changesState ? ['is_active'] : [])];
    if (fields.length === 0) return { application: toApplication(before) };
    const { secret, columns: secrets } = secretsFor(columns.is_public);
    const state = changesState ? { disabled_at: isActive ? null : now } : {};
    const row = await updateApplication.first(tx, { id: before.id, ...columns, ...secrets, ...state });
    if (!row) throw new AppError('APPLICATION_NOT_FOUND', { key: before.key });
    const details = { key: row.key, change: changeWord(fields, isActive), fields } as const;
    await recordEvent(tx, { type: 'application.changed', actor, subject: null, details, application: row.key });
    return { application: toApplication(row), ...(secret === undefined ? {} : { secret }) };
  });
}
