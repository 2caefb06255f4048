import { MAX_LIFE_DAYS } from '../api-tokens/token.ts';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandResult, CommandServices } from '../command/context.ts';
import { USAGE } from '../command/refusal-words.ts';
import type { Handle } from '../db/handle.ts';
import { type FormerRow, formerRows, hasTable, rowsOfUsers } from '../db/mbkauthe.ts';
import { readSnapshot } from '../db/table-rows.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { readFormerPepper } from '../settings/former-pepper.ts';
import { importedRpId } from '../settings/passkey-party.ts';
import { builtInProviderNames, formerProviders } from '../settings/provider-names.ts';
import { addressOf, withDatabase } from './copy.ts';
import {
  type FormerLinks,
  type FormerPasswords,
  type FormerRules,
  type FormerUser,
  renameApps,
  toUserFields,
} from './former-user.ts';
import { idOf, isSet, jsonOf, textOf } from './former-values.ts';
import { finishImport, type ImportOptions } from './import-file.ts';
import { readProfile } from './import-profile.ts';
import { type ImportRecord, RecordImporter } from './import-records.ts';
import { ImportRun } from './import-run.ts';
import { LineRefusal } from './line-refusal.ts';
import { RecordReader } from './record-reader.ts';
import { readUser } from './user-record.ts';

/** Number of users that are read into memory at a time. */
const PORTION = 200;
const MIN_KEY = 6;

export interface MbkautheOptions extends ImportOptions {
  from: string;
  pepperFile?: string;
  passwords: FormerPasswords;
  renameApp?: string[];
}

function pepperOf({ pepperFile, passwords }: MbkautheOptions): string | undefined {
  if (passwords !== 'peppered') return undefined;
  try {
    const pepper = readFormerPepper(pepperFile);
    if (pepper !== undefined) return pepper;
  } catch (error) {
    throw new CommandFailure(`The pepper cannot be read: ${describeFileFault(error, pepperFile)}.`);
  }
  throw new CommandFailure(
    'Importing the passwords of mbkauthe 5 needs its SESSION_SECRET_KEY: give it with --pepper-file FILE or MBKAUTHE_PEPPER. To import no passwords, use --passwords none.',
    USAGE,
  );
}

function renamesOf({ renameApp = [] }: MbkautheOptions): ReadonlyMap<string, string> {
  return new Map(
    renameApp.map((text) => {
      const [, before, after] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (before === undefined || after === undefined)
        throw new CommandFailure('--rename-app takes OLD=NEW: the old and the new name of an application.', USAGE);
      return [before.trim().toLowerCase(), after.trim()];
    }),
  );
}

const ofUser = (rows: readonly FormerRow[], column: string, name: string | undefined): FormerRow[] =>
  rows.filter((row) => row.get(column) === name);

/** Returns the linked accounts of these users, by provider. */
async function linksOfUsers(handle: Handle, names: readonly string[]): Promise<FormerLinks[]> {
  const links: FormerLinks[] = [];
  for (const { former, name } of formerProviders)
    links.push({ provider: name, column: `${former}_id`, rows: await rowsOfUsers(handle, `user_${former}`, names) });
  return links;
}

/** Reads the users in the order of their ids, each with the rows of other tables that belong to the user. */
async function* formerUsers(handle: Handle): AsyncGenerator<FormerUser> {
  for (let after = 0; ; ) {
    const users = await formerRows(handle, 'Users', after, PORTION);
    const last = users.at(-1);
    if (!last) return;
    const names = users.map((user) => textOf(user, 'UserName')).filter((name) => name !== undefined);
    const factors = await rowsOfUsers(handle, 'TwoFA', names);
    const links = await linksOfUsers(handle, names);
    const tokens = await rowsOfUsers(handle, 'ApiTokens', names);
    for (const user of users) {
      const name = textOf(user, 'UserName');
      yield {
        user,
        factor: ofUser(factors, 'UserName', name)[0],
        links: links.map(({ rows, ...at }) => ({ ...at, rows: ofUser(rows, 'user_name', name) })),
        tokens: ofUser(tokens, 'UserName', name),
      };
    }
    after = idOf(last);
  }
}

function toProfileFields(row: FormerRow, rules: FormerRules, appName: string): object {
  const key = textOf(row, 'ProfileKey') ?? '';
  const days = Number(row.get('ExpiresInDays') ?? MAX_LIFE_DAYS);
  return {
    key: key.length < MIN_KEY ? `mbkauthe-${idOf(row)}` : key,
    name: row.get('Name'),
    scope: row.get('Scope'),
    allowed_apps: renameApps(jsonOf(row, 'AllowedApps'), rules) ?? [appName],
    expires_in_days: Math.min(days, MAX_LIFE_DAYS),
    is_active: isSet(row, 'Active'),
  };
}

/** Imports one row, or records why it is refused. */
async function take(
  run: ImportRun,
  importer: RecordImporter,
  origin: { table: string; id: number },
  read: () => Promise<ImportRecord>,
): Promise<void> {
  try {
    await importer.add({ origin, record: await read() });
  } catch (error) {
    if (!(error instanceof LineRefusal)) throw error;
    run.refuse(origin, error);
  }
}

async function importAll(
  handle: Handle,
  { settings }: CommandServices,
  run: ImportRun,
  importer: RecordImporter,
  rules: FormerRules,
): Promise<void> {
  if (!(await hasTable(handle, 'Users')) || !(await hasTable(handle, 'TwoFA')))
    throw new CommandFailure('The database at --from is not one of mbkauthe: it has no tables Users and TwoFA.');
  const profiles = (await hasTable(handle, 'ApiTokenProfiles'))
    ? await formerRows(handle, 'ApiTokenProfiles', 0, Number.MAX_SAFE_INTEGER)
    : [];
  for (const row of profiles)
    await take(run, importer, { table: 'ApiTokenProfiles', id: idOf(row) }, async () =>
      readProfile(new RecordReader(toProfileFields(row, rules, settings.APP_NAME))),
    );
  for await (const former of formerUsers(handle))
    await take(run, importer, { table: 'Users', id: idOf(former.user) }, async () =>
      readUser(new RecordReader(await toUserFields(run, former, rules)), {
        roles: settings.ROLES,
        providers: builtInProviderNames,
      }),
    );
  await importer.finish();
}

/** Runs `authsvc import mbkauthe`: imports the data of an mbkauthe database. That database is opened read-only. */
export async function importMbkauthe(services: CommandServices, options: MbkautheOptions): Promise<CommandResult> {
  const { database, settings, clock, actor, warn, passwords } = services;
  const now = clock.now();
  const address = addressOf('--from', options.from);
  const renamed = renamesOf(options);
  const rules = {
    passwords: options.passwords,
    pepper: pepperOf(options),
    renamed,
    roles: settings.ROLES,
    now,
    hash: (password: string) => passwords.hash(password),
  };
  const run = new ImportRun({ isDry: options.dryRun === true, updates: options.update === true, warn });
  const parts = {
    dataSealer: await services.dataSealer(),
    actor,
    now,
    appName: settings.APP_NAME,
    rpId: importedRpId(settings),
  };
  const importer = new RecordImporter(database, run, parts);
  await withDatabase({ option: '--from', url: address, isReadOnly: true }, (former) =>
    readSnapshot(former, (handle) => importAll(handle, services, run, importer, rules)),
  );
  for (const name of run.newSuperadmins) run.warnOfAll(`${name} is an active superadmin.`);
  if (run.importedTokens > 0 && !settings.LEGACY_TOKEN_PREFIXES.includes('mbk_'))
    run.warnOfAll('The imported tokens work once LEGACY_TOKEN_PREFIXES contains mbk_.');
  return finishImport(run, { tokens: { imported: run.importedTokens, expired: run.expiredTokens } });
}
