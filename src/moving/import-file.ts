import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandResult, CommandServices } from '../command/context.ts';
import { REFUSED } from '../command/refusal-words.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { importedRpId } from '../settings/passkey-party.ts';
import { builtInProviderNames } from '../settings/provider-names.ts';
import type { Settings } from '../settings/table.ts';
import { readApplication } from './import-application.ts';
import { readProfile } from './import-profile.ts';
import { type ImportRecord, RecordImporter } from './import-records.ts';
import { ImportRun } from './import-run.ts';
import { LineRefusal } from './line-refusal.ts';
import { type Line, readLines } from './read-lines.ts';
import { isObject, RecordReader } from './record-reader.ts';
import { readUser } from './user-record.ts';

const EXPORT_TYPE = 'authsvc-export';
const VERSION = 1;

export interface ImportOptions {
  dryRun?: true;
  update?: true;
}

/** The types of records with their article, for warnings. */
const aRecord = { user: 'a user', application: 'an application', profile: 'a profile' } as const;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readObject({ bytes }: Line): object {
  if (!bytes) throw new LineRefusal('LINE_TOO_LONG', null, 'The line is longer than 1 MiB.');
  const text = (() => {
    try {
      return strict.decode(bytes);
    } catch {
      throw new LineRefusal('NOT_UTF8', null, 'The line is not UTF-8.');
    }
  })();
  const value: unknown = (() => {
    try {
      return JSON.parse(text);
    } catch {
      throw new LineRefusal('NOT_JSON', null, 'The line is not JSON.');
    }
  })();
  if (!isObject(value)) throw new LineRefusal('NOT_OBJECT', null, 'The line is not a JSON object.');
  return value;
}

/** Returns the providers that a link may belong to. */
const providersOf = ({ identityProviders }: Settings): string[] => [
  ...new Set([...builtInProviderNames, ...identityProviders.map(({ name }) => name)]),
];

function readRecord(reader: RecordReader, settings: Settings): ImportRecord {
  const type = reader.raw('type') ?? 'user';
  if (reader.raw('password') !== undefined)
    throw new LineRefusal(
      'PASSWORD_IN_CLEAR',
      'password',
      'A plaintext password is not imported. Use the field password_hash with its hash.',
    );
  if (type === 'user') return readUser(reader, { roles: settings.ROLES, providers: providersOf(settings) });
  if (type === 'application') return readApplication(reader, settings);
  if (type === 'profile') return readProfile(reader);
  throw new LineRefusal('TYPE_UNKNOWN', 'type', 'The field type must be user, application or profile.');
}

/** Returns whether a line is the header of an export. Throws CommandFailure if the export has another version. */
function isHeader(reader: RecordReader, isFirst: boolean): boolean {
  if (reader.raw('type') !== EXPORT_TYPE || !isFirst) return false;
  if (reader.raw('version') !== VERSION)
    throw new CommandFailure(
      `The export does not have the format version ${VERSION}. Import it with the version of authsvc that wrote it.`,
    );
  return true;
}

async function* openInput(file: string): AsyncGenerator<Buffer> {
  if (file === '-') return yield* process.stdin;
  try {
    if ((await stat(file)).isDirectory()) throw new CommandFailure(`${file} is a folder, not a file.`);
    yield* createReadStream(file);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`The file cannot be read: ${describeFileFault(error, file)}.`);
  }
}

function importLine(line: Line, isFirst: boolean, run: ImportRun, settings: Settings) {
  const reader = new RecordReader(readObject(line));
  if (isHeader(reader, isFirst)) {
    run.lines -= 1;
    return undefined;
  }
  const record = readRecord(reader, settings);
  for (const name of reader.unknown())
    run.warnOnce(`The field ${name} of ${aRecord[record.type]} is unknown and was ignored.`);
  return record;
}

/**
 * Runs `authsvc import FILE|-`: imports users, applications and profiles from a file with one JSON object per line.
 */
export async function importFile(
  services: CommandServices,
  file: string,
  options: ImportOptions,
): Promise<CommandResult> {
  const { database, settings, clock, actor, warn } = services;
  const run = new ImportRun({ isDry: options.dryRun === true, updates: options.update === true, warn });
  const parts = {
    dataSealer: await services.dataSealer(),
    actor,
    now: clock.now(),
    appName: settings.APP_NAME,
    rpId: importedRpId(settings),
  };
  const importer = new RecordImporter(database, run, parts);
  let isFirst = true;
  for await (const line of readLines(openInput(file))) {
    const origin = { line: line.number };
    run.lines += 1;
    try {
      const record = importLine(line, isFirst, run, settings);
      if (record) await importer.add({ origin, record });
    } catch (error) {
      if (!(error instanceof LineRefusal)) throw error;
      run.refuse(origin, error);
    }
    isFirst = false;
  }
  await importer.finish();
  return finishImport(run, { lines: run.lines });
}

/** Returns the report of an import and the exit code. */
export function finishImport(run: ImportRun, more: object): CommandResult {
  const { dry_run, ...report } = run.report();
  const exitCode = run.refused > 0 ? REFUSED : 0;
  return { json: { dry_run, ...more, ...report }, lines: run.describe(), exitCode };
}
