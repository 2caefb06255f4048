import type { Database } from '../db/handle.ts';
import { Turns } from '../lib/turns.ts';
import { type Finder, fullTargets } from './due-messages.ts';
import { bringForward, dueForWebhooks, setBehind } from './queries.ts';

interface LanesParts {
  kind: string;
  /** Maximum number of messages that are sent to one webhook at a time. */
  perTarget: number;
  /** The turn to send, which this process must hold. */
  turn: { name: string; holder: string };
}

type Row = Awaited<ReturnType<typeof dueForWebhooks.all>>[number];

/**
 * Finds due messages for webhooks. Messages of the same lane are sent one after another.
 *
 * If many messages of a lane are waiting, they are marked as behind, so that queries need not skip them each time. When a
 * message of the lane ends, the next one is unmarked.
 */
export function lanesFinder({ kind, perTarget, turn }: LanesParts): Finder {
  const most = 2 * perTarget;
  /** Lanes in which messages are waiting for an earlier one. */
  const waiting = new Set<string>();
  /** Runs one at a time: marking messages as behind, and ending messages. Otherwise a message could stay marked for ever. */
  const turns = new Turns();

  const setAside = async (database: Database, lanes: readonly string[]): Promise<number> => {
    const count = await setBehind.run(database, { lanes, turn: turn.name, holder: turn.holder });
    // A message that ended during the query may have removed its lane from the set.
    for (const lane of lanes) waiting.add(lane);
    return count;
  };

  return {
    find: async ({ database, busy, now, latest, limit }) => {
      const full = fullTargets(busy, perTarget);
      const rows = await dueForWebhooks.all(database, { kind, full, now, latest, most });
      const byWebhook = new Map<number, Row[]>();
      for (const row of rows) byWebhook.set(row.webhook_id, [...(byWebhook.get(row.webhook_id) ?? []), row]);
      const ids: string[] = [];
      const crowded = new Set<string>();
      for (const [webhookId, found] of byWebhook) {
        const room = perTarget - (busy.get(webhookId) ?? 0);
        const blocked = found.filter((row) => Boolean(row.is_blocked));
        const free = found.filter((row) => !row.is_blocked);
        const lanes = blocked.flatMap(({ lane }) => lane ?? []);
        for (const lane of lanes) waiting.add(lane);
        ids.push(...free.slice(0, room).map(({ id }) => id));
        if (found.length === most && free.length < room) for (const lane of lanes) crowded.add(lane);
      }
      const count = crowded.size > 0 ? await turns.run(kind, () => setAside(database, [...crowded])) : 0;
      return { ids: ids.slice(0, limit), hasMore: count > 0 || ids.length > limit };
    },
    run: (work) => turns.run(kind, work),
    onEnded: async (tx, lanes) => {
      const ended = [...new Set(lanes)].filter((lane) => waiting.has(lane));
      for (const lane of ended) if ((await bringForward.run(tx, { lane })) === 0) waiting.delete(lane);
      return ended.length > 0;
    },
  };
}
