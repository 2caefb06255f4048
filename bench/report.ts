// Results as Markdown: the same text on the terminal and in docs/performance.md.
import { quantile } from './load.ts';
import type { Footprint, Installation, Reading, Storm } from './works.ts';

export interface Findings {
  check?: Reading[];
  application?: Reading[];
  verify?: Reading[];
  token?: Reading[];
  login?: Reading[];
  storm?: Storm[];
  footprints?: Footprint[];
  installations?: Installation[];
}

const round = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

type Row = readonly (string | number)[];

function table(head: readonly string[], rows: readonly Row[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? round(cell) : cell)));
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => {
    const padded = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...cells.map(line)].join('\n');
}

/** The median of the ratios within each round. */
function ratio(reading: Reading, floor: Reading | undefined): string {
  if (!floor) return '';
  const ratios = reading.rounds.map((cpu, index) => cpu / (floor.rounds[index] ?? Number.NaN));
  return `${quantile(
    ratios.sort((a, b) => a - b),
    0.5,
  ).toFixed(2)} ×`;
}

function readings(list: readonly Reading[], floorTitle: string): string {
  const floor = list.find(({ title }) => title === floorTitle);
  return table(
    ['', 'CPU µs a request', `beside ${floorTitle}`, 'PostgreSQL µs', 'requests/s', 'p50 ms', 'p99 ms'],
    list.map((one) => [
      one.title,
      one.cpu,
      ratio(one, floor),
      one.postgresCpu > 0 ? one.postgresCpu : '',
      one.perSecond,
      one.p50,
      one.p99,
    ]),
  );
}

const storms = (list: readonly Storm[]): string =>
  table(
    ['', 'idle p50 ms', 'idle p99 ms', 'during logins p50 ms', 'during logins p99 ms', 'p99 beside idle'],
    list.map(({ title, idle, busy }) => [
      title,
      idle.p50,
      idle.p99,
      busy.p50,
      busy.p99,
      `${(busy.p99 / idle.p99).toFixed(1)} ×`,
    ]),
  );

const footprints = (list: readonly Footprint[]): string =>
  table(
    ['', 'start to first answer ms', 'CPU ms for it', 'memory after load MB'],
    list.map((one) => [one.title, one.startMs, one.startCpuMs, one.megabytesAfterLoad]),
  );

const installations = (list: readonly Installation[]): string =>
  table(
    ['', 'MB on disk', 'packages'],
    list.map(({ title, megabytes, packages }) => [title, megabytes, String(packages)]),
  );

/** A section with its table; nothing if nothing was measured. */
function section<T>(
  title: string,
  words: string,
  list: readonly T[] | undefined,
  show: (list: readonly T[]) => string,
) {
  return list && list.length > 0 ? [`## ${title}\n\n${words}\n\n${show(list)}`] : [];
}

/** All results, as sections of Markdown. */
export function toMarkdown(found: Findings): string {
  return [
    ...section(
      'Is this browser signed in?',
      'A GET with the cookies and headers of a signed-in browser (ten browsers in turn). Express-session and better-auth do the same by their own routes; the bare servers read the same request and answer a constant.',
      found.check,
      (list) => readings(list, 'bare Fastify'),
    ),
    ...section(
      'An Express application',
      'A GET of a signed-in browser for a page of an Express application that says who is signed in. authsvc-client answers from memory while its stream of changes is alive; the CPU is that of the application and of the service that it asks. jose verifies a signed token (ES256), which stays valid after a sign-out.',
      found.application,
      (list) => readings(list, 'jose'),
    ),
    ...section(
      'Whose session is this?',
      'A POST to `verifySession` with the value of a session cookie, as another application sends it. The bare servers read and parse the same body.',
      found.verify,
      (list) => readings(list, 'bare Fastify'),
    ),
    ...section(
      'Is this API token valid?',
      'A POST to `tokens/verify`, as another application sends it (ten tokens in turn). The bare servers read and parse the same body.',
      found.token,
      (list) => readings(list, 'bare Fastify'),
    ),
    ...section(
      'Password login',
      'Four browsers that sign in again and again. “argon2id alone” is one verification of a password with the parameters of authsvc in a server that does nothing else. The others hash by other means: mbkauthe PBKDF2 with 100,000 rounds (in the event loop), express-session here PBKDF2 with 310,000, better-auth scrypt.',
      found.login,
      (list) => readings(list, 'argon2id alone'),
    ),
    ...section(
      'Session checks while others sign in',
      'Four connections ask every 10 ms whether they are signed in; first alone, then while eight others sign in without a pause.',
      found.storm,
      storms,
    ),
    ...section(
      'Start and memory',
      'From the start of the process to its first answer of 200, on a database that is there; resident memory after all of the load above.',
      found.footprints,
      footprints,
    ),
    ...section(
      'Installed for production',
      '`npm install --omit=dev` of the packed tarball and of each other system in an empty folder.',
      found.installations,
      installations,
    ),
  ].join('\n\n');
}
