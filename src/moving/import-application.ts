import { changedColumns } from '../applications/change-application.ts';
import { type ApplicationFields, type FieldRules, parseFields, parseKey } from '../applications/fields.ts';
import { applicationByKey, insertApplication, updateApplication } from '../applications/queries.ts';
import type { Database, Transaction } from '../db/handle.ts';
import type { ApplicationRow } from '../db/schema.ts';
import { recordEvent } from '../events/record-event.ts';
import { type ImportParts, importTransaction, WrittenMeanwhile } from './import-parts.ts';
import type { ImportRun, Outcome } from './import-run.ts';
import { SHA256_FORM, toLineRefusal } from './line-refusal.ts';
import type { RecordReader } from './record-reader.ts';

/** An application of an import. Fields that the record does not contain are undefined. */
export interface ApplicationRecord {
  type: 'application';
  key: string;
  fields: ApplicationFields;
  rules: FieldRules;
  isActive: boolean | undefined;
  secretHash: string | undefined;
  createdAt: number | undefined;
}

function readSecretHash(reader: RecordReader): string | undefined {
  const text = reader.textOrNull('secret_hash') ?? undefined;
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text)) throw reader.refusal('secret_hash', SHA256_FORM);
  return text?.toLowerCase();
}

/** Reads a URL. Null becomes an empty text. */
const readAddress = (reader: RecordReader, name: string): string | undefined =>
  reader.raw(name) === null ? '' : reader.text(name);

const readFields = (reader: RecordReader): ApplicationFields => ({
  name: reader.text('name'),
  urls: reader.texts('urls'),
  redirectUris: reader.texts('redirect_uris'),
  postLogoutRedirectUris: reader.texts('post_logout_redirect_uris'),
  roles: reader.texts('roles'),
  backchannelLogoutUri: readAddress(reader, 'backchannel_logout_uri'),
  icon: readAddress(reader, 'icon'),
  isPublic: reader.flag('is_public'),
  isThirdParty: reader.flag('is_third_party'),
  deviceFlow: reader.flag('device_flow'),
  idTokenAlg: reader.text('id_token_alg'),
  pkceRequired: reader.flag('pkce_required'),
});

/** Checks the fields as far as that is possible without knowing whether an existing application is public. */
function requireFields(fields: ApplicationFields, rules: FieldRules): void {
  const { isPublic, pkceRequired } = fields;
  parseFields({ ...fields, pkceRequired: isPublic === undefined ? undefined : pkceRequired }, rules, isPublic ?? true);
}

/**
 * Reads an application from a record.
 *
 * @throws LineRefusal
 */
export function readApplication(reader: RecordReader, rules: FieldRules): ApplicationRecord {
  try {
    const fields = readFields(reader);
    requireFields(fields, rules);
    return {
      type: 'application',
      key: parseKey(reader.requiredText('key')),
      fields,
      rules,
      isActive: reader.flag('is_active'),
      secretHash: readSecretHash(reader),
      createdAt: reader.instant('created_at'),
    };
  } catch (error) {
    throw toLineRefusal(error, 'application');
  }
}

async function addNew(
  tx: Transaction,
  run: ImportRun,
  { actor, now }: ImportParts,
  record: ApplicationRecord,
): Promise<Outcome> {
  const { key, secretHash = null } = record;
  const isPublic = record.fields.isPublic === true;
  const columns = parseFields(record.fields, record.rules, isPublic);
  if (run.isDry) return 'created';
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
  const fields = Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const details = { key, change: 'created', fields } as const;
  await recordEvent(tx, { type: 'application.changed', actor, subject: null, details, application: key });
  return 'created';
}

/**
 * Returns the secret columns that must change. A public application has no secret. An application that becomes
 * confidential has no secret unless the record contains one.
 */
function changedSecrets(here: ApplicationRow, { fields, secretHash }: ApplicationRecord) {
  const isPublic = fields.isPublic ?? here.is_public === 1;
  const wanted = isPublic ? null : (secretHash ?? here.secret_hash);
  const old = isPublic ? { old_secret_hash: null, old_secret_expires_at: null } : {};
  return wanted === here.secret_hash ? {} : { secret_hash: wanted, ...old };
}

async function update(
  tx: Transaction,
  run: ImportRun,
  { actor, now }: ImportParts,
  here: ApplicationRow,
  record: ApplicationRecord,
): Promise<Outcome> {
  const { key, isActive, createdAt = here.created_at } = record;
  const columns = changedColumns(here, record.rules, record.fields);
  const secrets = changedSecrets(here, record);
  const changesState = isActive !== undefined && isActive !== (here.disabled_at === null);
  const fields = [
    ...Object.keys(columns),
    ...('secret_hash' in secrets ? ['secret'] : []),
    ...(changesState ? ['is_active'] : []),
    ...(createdAt === here.created_at ? [] : ['created_at']),
  ];
  if (!run.updates || fields.length === 0) return 'unchanged';
  if (run.isDry) return 'updated';
  const state = changesState ? { disabled_at: isActive ? null : now } : {};
  await updateApplication.first(tx, { id: here.id, ...columns, ...secrets, ...state, created_at: createdAt });
  const details = { key, change: 'updated', fields } as const;
  await recordEvent(tx, { type: 'application.changed', actor, subject: null, details, application: key });
  return 'updated';
}

/**
 * Adds an application. If it exists and `run.updates` is set, updates it with the fields of the record.
 *
 * @throws WrittenMeanwhile
 * @throws LineRefusal
 */
export function importApplication(
  database: Database,
  run: ImportRun,
  parts: ImportParts,
  record: ApplicationRecord,
): Promise<Outcome> {
  return importTransaction(database, async (tx) => {
    const here = await applicationByKey.first(tx, { key: record.key });
    try {
      return await (here ? update(tx, run, parts, here, record) : addNew(tx, run, parts, record));
    } catch (error) {
      if (error instanceof WrittenMeanwhile) throw error;
      throw toLineRefusal(error, 'application');
    }
  });
}
