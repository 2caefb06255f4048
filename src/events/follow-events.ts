import { setTimeout as sleep } from 'node:timers/promises';
import type { Handle } from '../db/handle.ts';
import type { AuditEvent } from './audit-event.ts';
import { type AuditFilter, toAuditEvent } from './list-events.ts';
import { auditEventsById, auditIds, firstAuditIdSince, lastAuditId, openAuditWriters } from './queries.ts';

const PAGE = 1000;
const POLL_MS = 500;
const WAIT_MS = 50;
/**
 * Transactions may commit in a different order than their ids. This margin assumes that a transaction never
 * overlaps with more than 10,000 others.
 */
const MARGIN = 10_000;

/** Returns whether an event matches a filter. Ignores `subjectId` and `until`, which no caller of `followAuditEvents` sets. */
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

/** Waits for the end of every transaction that may still add an event with an id below the newest id. */
async function waitForWriters(handle: Handle, signal: AbortSignal): Promise<void> {
  let waited = await openWriters(handle);
  while (waited.size > 0 && !signal.aborted) {
    await sleep(WAIT_MS);
    const open = await openWriters(handle);
    waited = new Set([...waited].filter((writer) => open.has(writer)));
  }
}

/**
 * Finds where to start reading.
 *
 * @returns after: the id after which to read; seen: ids above it that already exist and must be skipped
 */
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
 * Reads events as they are committed, until `signal` is aborted. Each event is returned once, in the order of the ids.
 *
 * PostgreSQL assigns an id before the commit, so an event with a lower id may be committed later. So before this
 * function reads up to the newest id, it waits for the end of every transaction that could still add a lower id.
 *
 * @param filter if `since` is missing, only events that are committed from now on are returned
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
