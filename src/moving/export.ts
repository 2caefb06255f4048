import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { toApplication } from '../applications/application.ts';
import { allApplications } from '../applications/queries.ts';
import { toApplicationJson } from '../applications/schemas.ts';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandResult, CommandServices } from '../command/context.ts';
import { USAGE } from '../command/refusal-words.ts';
import { textFields } from '../command/table.ts';
import type { Handle } from '../db/handle.ts';
import { readSnapshot } from '../db/table-rows.ts';
import { toProfile, toProfileJson } from '../device-login/profile.ts';
import { allProfiles } from '../device-login/queries.ts';
import { userLines } from './export-users.ts';
import { writeNewFile } from './new-file.ts';

export interface ExportOptions {
  withHashes?: true;
  to?: string;
  json?: true;
}

const withoutId = ({ id: _id, ...fields }: { id: number }): object => fields;

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1);

async function applicationLines(handle: Handle, withHashes: boolean): Promise<object[]> {
  const rows = (await allApplications.all(handle, {})).sort(byKey);
  return rows.map((row) => ({
    type: 'application',
    ...withoutId(toApplicationJson(toApplication(row))),
    ...(withHashes ? { secret_hash: row.secret_hash } : {}),
  }));
}

async function profileLines(handle: Handle): Promise<object[]> {
  const profiles = (await allProfiles.all(handle, {})).map(toProfile).sort(byKey);
  return profiles.map((profile) => ({ type: 'profile', ...withoutId(toProfileJson(profile)) }));
}

/** Writes a text after waiting until earlier texts are written. Returns false if the reader has closed the stream. */
type Put = (text: string) => Promise<boolean>;

const toText = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/**
 * Writes a consistent snapshot of the data. Stops early if the reader closes the stream. Returns the number of
 * lines of each type.
 */
async function writeAll(services: CommandServices, put: Put, withHashes: boolean) {
  const { database, clock } = services;
  const sealer = withHashes ? await services.readDataSealer() : undefined;
  const header = {
    type: 'authsvc-export',
    version: 1,
    exported_at: new Date(clock.now()).toISOString(),
    with_hashes: withHashes,
  };
  return readSnapshot(database, async (handle) => {
    const applications = await applicationLines(handle, withHashes);
    const profiles = await profileLines(handle);
    let isRead = await put(toText([header, ...applications, ...profiles]));
    let users = 0;
    for await (const lines of userLines(handle, { withHashes, now: clock.now(), sealer })) {
      if (!isRead) break;
      users += lines.length;
      isRead = await put(toText(lines));
    }
    return { applications: applications.length, profiles: profiles.length, users };
  });
}

function toFile(services: CommandServices, file: string, withHashes: boolean): Promise<CommandResult> {
  return writeNewFile('export', file, async (draft) => {
    const output = createWriteStream(draft);
    const ended = finished(output);
    const put = async (text: string) => {
      if (!output.write(text)) await once(output, 'drain');
      return true;
    };
    const counts = await Promise.race([writeAll(services, put, withHashes), ended.then(() => undefined)]);
    output.end();
    await ended;
    const json = { file, ...counts };
    const texts = Object.entries(json).map(([name, value]) => [name, String(value)]);
    return { json, lines: textFields(Object.fromEntries(texts)) };
  });
}

/** Runs `authsvc export`: writes applications, profiles and users as JSON lines. */
export async function exportRecords(
  services: CommandServices,
  options: ExportOptions,
): Promise<CommandResult | undefined> {
  const withHashes = options.withHashes === true;
  if (options.to !== undefined) return toFile(services, options.to, withHashes);
  if (options.json) throw new CommandFailure('--json reports what was written to a file, so it needs --to.', USAGE);
  await writeAll(services, services.print, withHashes);
  return undefined;
}
