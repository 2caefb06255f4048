import { type Command, Option } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textInstant, textLine, textTable } from '../command/table.ts';
import { AppError } from '../errors/app-error.ts';
import { type AuditEvent, auditFields, toAuditJson } from '../events/audit-event.ts';
import { auditEventNames } from '../events/event-types.ts';
import { toCsvLine } from '../lib/csv.ts';
import { parseInstantOrSpan } from '../lib/instant.ts';
import { toPrintableJson } from '../lib/plain-text.ts';
import { type AuditFilterTexts, readAuditFilter } from './read-filter.ts';

interface FilterOptions extends Omit<AuditFilterTexts, 'application'> {
  app?: string;
}

interface ListOptions extends FilterOptions {
  limit: string;
  csv?: true;
}

const MAX_LIMIT = 100_000;

const collect = (value: string, before: string[] = []): string[] => [...before, value];

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError('FIELD_INVALID', { field: 'limit', maximum: MAX_LIMIT });
}

/**
 * Refuses empty filters. In the console an empty filter means "not set", but on the command line it usually comes from a
 * shell variable that is unset by mistake.
 */
function requireTexts({ user, address, app: application, since, until, event = [] }: FilterOptions): void {
  const empty = Object.entries({ user, address, application, since, until }).find(([, text]) => text === '');
  if (empty) throw new AppError('FIELD_INVALID', { field: empty[0] });
  if (event.includes('')) throw new AppError('FIELD_INVALID', { field: 'event', allowed: auditEventNames });
}

function readFilter({ database, clock }: CommandServices, options: FilterOptions) {
  requireTexts(options);
  const { app, ...texts } = options;
  return readAuditFilter(database, { ...texts, application: app }, (text) => parseInstantOrSpan(text, clock.now()));
}

const titles = ['TIME', 'EVENT', 'BY', 'USER', 'ADDRESS', 'DETAILS'];

/** Returns the table cells that show an event to a person. */
const cellsOf = ({ at, event, actor_type, actor_name, subject_name, address, details }: AuditEvent): string[] => [
  textInstant(at),
  event,
  actor_name === null ? actor_type : `${actor_name} (${actor_type})`,
  subject_name ?? '-',
  address ?? '-',
  JSON.stringify(details),
];

function toCsv(events: readonly AuditEvent[]): string[] {
  const rows = events.map(toAuditJson).map((event) => auditFields.map((field) => event[field]));
  return [auditFields, ...rows].map(toCsvLine);
}

async function list(services: CommandServices, options: ListOptions) {
  const limit = readLimit(options.limit);
  const filter = await readFilter(services, options);
  const events: AuditEvent[] = [];
  const { readAuditEvents } = await import('../events/list-events.ts');
  for await (const page of readAuditEvents(services.database, filter, limit)) events.push(...page);
  if (options.csv) return { json: undefined, lines: toCsv(events), lineEnd: '\r\n' };
  return { json: events.map(toAuditJson), lines: textTable(titles, events.map(cellsOf), 'There are no events.') };
}

async function follow(services: CommandServices, options: FilterOptions & { json?: true }) {
  const { database, print, stopSignal } = services;
  const signal = stopSignal();
  const filter = await readFilter(services, options);
  const toLine = (event: AuditEvent): string =>
    options.json ? toPrintableJson(toAuditJson(event)) : textLine(cellsOf(event));
  const { followAuditEvents } = await import('../events/follow-events.ts');
  for await (const events of followAuditEvents(database, filter, signal)) {
    const isRead = await print(events.map((event) => `${toLine(event)}\n`).join(''));
    if (!isRead) break;
  }
  return undefined;
}

const withFilter = (command: Command): Command =>
  command
    .option('--user <name>', 'only events about this user or caused by this user, even if the user was removed')
    .option('--event <event>', 'only this event (may be repeated; docs/audit.md lists them)', collect)
    .option('--address <address>', 'only events from this client address')
    .option('--app <key>', 'only events about this application')
    .option('--since <time>', 'only events from this time on: ISO 8601, or a span before now such as 30m, 24h, 7d');

/** Adds the `authsvc audit …` commands. */
export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('read the audit log');
  const listing = withFilter(audit.command('list').description('list events, newest first'))
    .option('--until <time>', 'only events before this time')
    .option('--limit <number>', `maximum number of events, 1 to ${MAX_LIMIT}`, '100')
    .addOption(new Option('--csv', 'print CSV (RFC 4180)').conflicts('json'));
  listing.action(context.action(listing, list));
  addExamples(listing, [
    'authsvc audit list --user ada --since 24h',
    'authsvc audit list --event sign_in.refused --address 192.0.2.7',
    'authsvc audit list --since 2026-11-01 --limit 100000 --csv > events.csv',
  ]);
  const following = withFilter(
    audit.command('follow').description('print new events as they happen, until you stop the command'),
  );
  following.action(context.action(following, follow));
  addExamples(following, ['authsvc audit follow', 'authsvc audit follow --since 1h --event sign_in.refused --json']);
}
