import type { Database } from '../db/handle.ts';
import { Turns } from '../lib/turns.ts';
import { type Finder, fullTargets } from './due-messages.ts';
import { bringForward, dueForWebhooks, setBehind } from './queries.ts';

interface LanesParts {
  kind: string;
  /** How many messages a webhook gets at once. */
  perTarget: number;
  /** The turn to send, which the process must have. */
  turn: { name: string; holder: string };
}

type Row = Awaited<ReturnType<typeof dueForWebhooks.all>>[number];

/**
 * Finds messages for webhooks, of which those of one lane are sent one after the other.
 *
 * Messages that wait for an earlier one of their lane are set behind when there are many, so that no look has to pass
 * by them again. Whenever a message of the lane ends, one of them comes forward.
 */
export function lanesFinder({ kind, perTarget, turn }: LanesParts): Finder {
  const most = 2 * perTarget;
  /** The lanes in which messages wait for an earlier one. */
  const waiting = new Set<string>();
  /** A message must not be set behind another one while that one ends. */
  const turns = new Turns();

  const setAside = async (database: Database, lanes: readonly string[]): Promise<number> => {
    const count = await setBehind.run(database, { lanes, turn: turn.name, holder: turn.holder });
    // A message that has ended meanwhile may have made them forgotten.
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
