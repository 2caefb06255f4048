import { anyRowOf } from '../db/changes.ts';
import { LookupCache } from '../db/lookup-cache.ts';
import { unobserved } from '../db/unobserved.ts';
import { lanesFinder } from '../delivery/lanes.ts';
import { OutboxWorker, type WorkerParts } from '../delivery/outbox-worker.ts';
import { bringAllForward, correctTimes } from '../delivery/queries.ts';
import { Turn } from '../delivery/turn.ts';
import type { Services } from '../http/route.ts';
import { CLOCK_TOLERANCE_MS } from '../lib/clock.ts';
import { Connections } from './post.ts';
import { anyWebhook } from './queries.ts';
import { WEBHOOK } from './queue-deliveries.ts';
import { deliverySender, MAX_DELAY_MS } from './send-delivery.ts';

/**
 * The pace of deliveries. There is no common limit, so that a slow webhook does not delay the others. `pollMs` lets this
 * process find deliveries of other processes within a second. `gatherMs` waits briefly after a request, so that the
 * deliveries of several requests are sent together, which costs less.
 */
const PACE = { atOnce: Number.POSITIVE_INFINITY, perTarget: 10, pollMs: 300, gatherMs: 100, startsAnew: false };

/** Creates the worker that sends deliveries. Of several processes, only one sends at a time. */
export function createDeliveries(services: Services, onAttempt: WorkerParts['onAttempt']): OutboxWorker {
  const { dataSealer, clock, log } = services;
  const database = unobserved(services.database);
  const cache = new LookupCache<boolean>(database.changes, 1);
  const isNeeded = async () => {
    const found = await cache.find('any', async () => {
      const webhook = await anyWebhook.first(database, {});
      return { value: webhook !== undefined, rows: [anyRowOf('webhooks')] };
    });
    return found === true;
  };
  const onHeld = async (isNew: boolean) => {
    if (isNew) await bringAllForward.run(database, {});
    const now = clock.now();
    const soonest = now + CLOCK_TOLERANCE_MS;
    await correctTimes.run(database, { now, soonest, latest: soonest + MAX_DELAY_MS });
  };
  const turn = new Turn({ database, clock, name: WEBHOOK, isNeeded, onHeld });
  const connections = new Connections();
  return new OutboxWorker({
    database,
    dataSealer,
    clock,
    senders: [deliverySender(services, connections)],
    finder: lanesFinder({ kind: WEBHOOK, perTarget: PACE.perTarget, turn: { name: WEBHOOK, holder: turn.holder } }),
    onTrouble: (error, facts) => log.warn({ err: error, ...facts }, 'failed to deliver to a webhook'),
    onAttempt,
    maySend: () => turn.isMine(),
    onStopped: async () => {
      connections.close();
      await turn.end();
    },
    ...PACE,
  });
}
