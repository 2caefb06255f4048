import type { Database } from '../db/handle.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { asTyped } from '../settings/as-typed.ts';
import { allWebhooks } from '../webhooks/queries.ts';
import { type Finding, fine, skipped, warning } from './finding.ts';

/** Checks that the receivers of webhooks accept their messages. */
export async function checkWebhooks(database: Database, now: number): Promise<Finding> {
  const active = (await allWebhooks.all(database, {})).filter(({ disabled_at }) => disabled_at === null);
  if (active.length === 0) return skipped('There are no active webhooks.');
  const failing = active.filter(({ failing_since: since }) => since !== null && since <= now - HOUR_MS);
  if (failing.length === 0)
    return fine(`${active.length === 1 ? '1 webhook is' : `${active.length} webhooks are`} active.`);
  const [first] = failing;
  return warning(
    `No delivery has succeeded for over an hour: ${failing.map(({ key, url }) => `${key} (${new URL(url).origin})`).join(', ')}.`,
    `See why with ${asTyped(`webhook deliveries ${first?.key ?? 'ID'}`)}, and disable what is no longer needed.`,
  );
}
