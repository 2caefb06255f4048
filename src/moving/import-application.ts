import { type ApplicationFields, type FieldRules, parseFields, parseKey } from '../applications/fields.ts';
import { applicationByKey, insertApplication, updateApplication } from '../applications/queries.ts';
import type { Database, Transaction } from '../db/handle.ts';
import { recordEvent } from '../events/record-event.ts';
import { type ImportParts, importTransaction, WrittenMeanwhile } from './import-parts.ts';
import type { ImportRun, Outcome } from './import-run.ts';
import { invalid, toLineRefusal } from './line-refusal.ts';
import type { RecordReader } from './record-reader.ts';

/** An application in a record; missing fields are undefined. */
export interface ApplicationRecord {
  type: 'application';
  key: string;
  columns: ReturnType<typeof parseFields>;
  isActive: boolean | undefined;
  secretHash: string | undefined;
  createdAt: number | undefined;
}

function readSecretHash(reader: RecordReader): string | undefined {
  const text = reader.textOrNull('secret_hash') ?? undefined;
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text))
    throw invalid('secret_hash', 'secret_hash must be a SHA-256 in hexadecimal');
  return text?.toLowerCase();
}

const readFields = (reader: RecordReader): ApplicationFields => ({
  name: reader.text('name'),
  urls: reader.texts('urls'),
  redirectUris: reader.texts('redirect_uris'),
  postLogoutRedirectUris: reader.texts('post_logout_redirect_uris'),
  roles: reader.texts('roles'),
  backchannelLogoutUri: reader.textOrNull('backchannel_logout_uri') ?? undefined,
  icon: reader.textOrNull('icon') ?? undefined,
  isPublic: reader.flag('is_public'),
  isThirdParty: reader.flag('is_third_party'),
  deviceFlow: reader.flag('device_flow'),
  idTokenAlg: reader.text('id_token_alg'),
  pkceRequired: reader.flag('pkce_required'),
});

/**
 * Reads an application.
 *
 * @throws LineRefusal
 */
export function readApplication(reader: RecordReader, rules: FieldRules): ApplicationRecord {
  try {
    const fields = readFields(reader);
    return {
      type: 'application',
      key: parseKey(reader.requiredText('key')),
      columns: parseFields(fields, rules, fields.isPublic === true),
      isActive: reader.flag('is_active'),
      secretHash: readSecretHash(reader),
      createdAt: reader.instant('created_at'),
    };
  } catch (error) {
    throw toLineRefusal(error, 'application');
  }
}

const given = (columns: ApplicationRecord['columns']) =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));

async function addNew(tx: Transaction, { actor, now }: ImportParts, record: ApplicationRecord): Promise<Outcome> {
  const { key, columns, secretHash = null } = record;
  const isPublic = columns.is_public === 1;
  const added = await insertApplication.first(tx, {
    key,
    name: columns.name ?? key,
    urls: columns.urls ?? '[]',
    redirect_uris: columns.redirect_uris ?? '[]',
    post_logout_redirect_uris: columns.post_logout_redirect_uris ?? '[]',
    roles: columns.roles ?? '[]',
    backchannel_logout_uri: columns.backchannel_logout_uri ?? null,
    icon: columns.icon ?? null,
    is_public: Number(isPublic),
    is_third_party: columns.is_third_party ?? 0,
    device_flow: columns.device_flow ?? 0,
    id_token_alg: columns.id_token_alg ?? 'RS256',
    pkce_required: columns.pkce_required ?? 1,
    secret_hash: isPublic ? null : secretHash,
    created_at: record.createdAt ?? now,
  });
  if (!added) throw new WrittenMeanwhile();
  if (record.isActive === false) await updateApplication.first(tx, { id: added.id, disabled_at: now });
  const details = { key, change: 'created', fields: Object.keys(given(columns)) } as const;
  await recordEvent(tx, { type: 'application.changed', actor, subject: null, details, application: key });
  return 'created';
}

/**
 * Adds an application, or updates an existing one with the fields of the record.
 *
 * @throws WrittenMeanwhile
 */
export function importApplication(
  database: Database,
  run: ImportRun,
  parts: ImportParts,
  record: ApplicationRecord,
): Promise<Outcome> {
  return importTransaction(database, async (tx) => {
    const { key, isActive, secretHash } = record;
    const here = await applicationByKey.first(tx, { key });
    if (!here) return run.isDry ? 'created' : addNew(tx, parts, record);
    const wanted = { ...given(record.columns), ...(secretHash === undefined ? {} : { secret_hash: secretHash }) };
    const changes = Object.entries(wanted).filter(([name, value]) => Reflect.get(here, name) !== value);
    const changesState = isActive !== undefined && isActive !== (here.disabled_at === null);
    if (!run.updates || (changes.length === 0 && !changesState)) return 'unchanged';
    if (run.isDry) return 'updated';
    const state = changesState ? { disabled_at: isActive ? null : parts.now } : {};
    await updateApplication.first(tx, { id: here.id, ...Object.fromEntries(changes), ...state });
    const fields = [...changes.map(([name]) => name), ...(changesState ? ['is_active'] : [])];
    const details = { key, change: 'updated', fields } as const;
    await recordEvent(tx, {
      type: 'application.changed',
      actor: parts.actor,
      subject: null,
      details,
      application: key,
    });
    return 'updated';
  });
}
