import { setTimeout as sleep } from 'node:timers/promises';
import type { Handle } from '../db/handle.ts';
import type { AuditEvent } from './audit-event.ts';
import { type AuditFilter, toAuditEvent } from './list-events.ts';
import { auditEventsById, auditIds, firstAuditIdSince, lastAuditId, openAuditWriters } from './queries.ts';

const PAGE = 1000;
const POLL_MS = 500;
const WAIT_MS = 50;
/** Transactions may commit in a different order than their ids. No transaction overlaps with this many others. */
const MARGIN = 10_000;

/** Whether an event matches a filter. */
function matches(event: AuditEvent, { userIds, events, address, application, since }: AuditFilter): boolean {
  const concerns = (id: number) => event.subject_id === id || event.actor_id === id;
  return (
    (userIds?.some(concerns) ?? true) &&
    (events?.includes(event.event) ?? true) &&
    (address === undefined || event.address === address) &&
    (application === undefined || event.application === application) &&
    (since === undefined || event.at >= since)
  );
}

async function openWriters(handle: Handle): Promise<Set<string>> {
  if (handle.kind === 'sqlite') return new Set();
  return new Set((await openAuditWriters.all(handle, {})).map(({ writer }) => writer));
}

/** Waits until all transactions that may still add an id below the newest one have ended. */
async function waitForWriters(handle: Handle, signal: AbortSignal): Promise<void> {
  let waited = await openWriters(handle);
  while (waited.size > 0 && !signal.aborted) {
    await sleep(WAIT_MS);
    const open = await openWriters(handle);
    waited = new Set([...waited].filter((writer) => open.has(writer)));
  }
}

/** Where to start: the id after which to read, and later ids that already exist. */
async function findStart(handle: Handle, since: number | undefined): Promise<{ after: number; seen: Set<number> }> {
  if (since !== undefined) {
    const first = await firstAuditIdSince.first(handle, { since });
    if (first) return { after: first.id - MARGIN, seen: new Set() };
  }
  const upTo = (await lastAuditId.first(handle, {}))?.id ?? 0;
  const after = upTo - MARGIN;
  return { after, seen: new Set((await auditIds.all(handle, { after, upTo })).map(({ id }) => id)) };
}

/**
 * Reads events as they are committed, in the order of their ids, each once, until `signal` is aborted.
 *
 * PostgreSQL assigns an id before the commit, so a lower id can be committed later. Events are read up to the newest id
 * only when no transaction can add a lower one any more.
 *
 * @param filter without `since`, only events that are committed from now on
 */
export async function* followAuditEvents(
  handle: Handle,
  filter: AuditFilter,
  signal: AbortSignal,
): AsyncGenerator<AuditEvent[]> {
  const start = await findStart(handle, filter.since);
  let { after } = start;
  while (!signal.aborted) {
    const upTo = (await lastAuditId.first(handle, {}))?.id ?? 0;
    if (upTo > after) await waitForWriters(handle, signal);
    while (after < upTo && !signal.aborted) {
      const rows = await auditEventsById.all(handle, { after, upTo, limit: PAGE });
      const events = rows.map(toAuditEvent).filter((event) => !start.seen.has(event.id) && matches(event, filter));
      if (events.length > 0) yield events;
      after = (rows.length === PAGE ? rows.at(-1)?.id : undefined) ?? upTo;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
