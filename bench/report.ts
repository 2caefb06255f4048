// Formats results as Markdown. The terminal and docs/performance.md get the same text.
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

/** Returns the median of the ratios within each round. */
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
    ['', 'CPU µs a request', `ratio to ${floorTitle}`, 'PostgreSQL µs', 'requests/s', 'p50 ms', 'p99 ms'],
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
    ['', 'idle p50 ms', 'idle p99 ms', 'during logins p50 ms', 'during logins p99 ms', 'p99 ÷ idle p99'],
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
    ['', 'start to first reply ms', 'CPU ms for that', 'memory after load MB'],
    list.map((one) => [one.title, one.startMs, one.startCpuMs, one.megabytesAfterLoad]),
  );

const installations = (list: readonly Installation[]): string =>
  table(
    ['', 'MB on disk', 'packages'],
    list.map(({ title, megabytes, packages }) => [title, megabytes, String(packages)]),
  );

/** Creates a section with its table; no lines if nothing was measured. */
function section<T>(
  title: string,
  words: string,
  list: readonly T[] | undefined,
  show: (list: readonly T[]) => string,
) {
  return list && list.length > 0 ? [`## ${title}\n\n${words}\n\n${show(list)}`] : [];
}

/** Formats all results as sections of Markdown. */
export function toMarkdown(found: Findings): string {
  return [
    ...section(
      'Is this browser signed in?',
      'Ten signed-in browsers take turns to send a GET with their cookies and headers. express-session and better-auth answer the same question by their own routes. The bare servers read the same request and send a constant reply.',
      found.check,
      (list) => readings(list, 'bare Fastify'),
    ),
    ...section(
      'An Express application',
      'A signed-in browser requests a page of an Express application that says who is signed in. authsvc-client answers from its cache while its stream of changes is alive; its CPU time is the sum of the application’s and the service’s. jose verifies a signed token (ES256), which stays valid after a sign-out.',
      found.application,
      (list) => readings(list, 'jose'),
    ),
    ...section(
      'Whose session is this?',
      'An application sends a POST to `verifySession` with the value of a session cookie. The bare servers read and parse the same body.',
      found.verify,
      (list) => readings(list, 'bare Fastify'),
    ),
    ...section(
      'Is this API token valid?',
      'An application sends a POST to `tokens/verify`, with ten tokens in turn. The bare servers read and parse the same body.',
      found.token,
      (list) => readings(list, 'bare Fastify'),
    ),
    ...section(
      'Password login',
      'Four browsers sign in again and again. “argon2id alone” is a server that only verifies a password, with the same parameters as authsvc. The other systems use other hashes: mbkauthe PBKDF2 with 100,000 rounds (in the event loop), express-session in this test PBKDF2 with 310,000 rounds, better-auth scrypt.',
      found.login,
      (list) => readings(list, 'argon2id alone'),
    ),
    ...section(
      'Session checks while others sign in',
      'Four connections check their sessions every 10 ms: first alone (“idle”), then while eight other browsers sign in without a pause.',
      found.storm,
      storms,
    ),
    ...section(
      'Start and memory',
      'The first two columns measure from the start of the process to its first reply with status 200, on an existing database. The last column is the resident memory after all of the load above.',
      found.footprints,
      footprints,
    ),
    ...section(
      'Installed for production',
      'The disk space and the number of packages that `npm install --omit=dev` adds, for the packed tarball and for each other system.',
      found.installations,
      installations,
    ),
  ].join('\n\n');
}
