import type { Call } from '../http/route.ts';
import { isUuid } from '../kit/random.ts';

const PURPOSE = 'cookie remembered_accounts';

/** What a browser's cookie says of the accounts that it remembers; the sessions themselves are in the database. */
export interface Device {
  /** The name under which the sessions of this browser stand. New at every sign-in. */
  id: string;
  /** The sessions that were last shown to this browser, the newest first. */
  sessionIds: string[];
}

function parseDevice(text: string): Device | undefined {
  const [id, ...sessionIds] = text.split(' ');
  return id && sessionIds.every(isUuid) ? { id, sessionIds } : undefined;
}

/** The device of the browser that calls; undefined when it remembers nothing, or nothing that this service sealed. */
export function readDevice({ request, services }: Call): Device | undefined {
  for (const sealed of services.cookies.read(request, 'accounts')) {
    const text = services.sealer.open(PURPOSE, sealed);
    const device = text && parseDevice(text);
    if (device) return device;
  }
  return undefined;
}

/** Lets the browser remember `device` until the last of its sessions is over. */
export function giveDevice({ reply, services }: Call, { id, sessionIds }: Device, expiresAt: number): void {
  const { cookies, sealer, clock } = services;
  cookies.set(reply, 'accounts', sealer.seal(PURPOSE, [id, ...sessionIds].join(' ')), { expiresAt, now: clock.now() });
}
