import type { Handle } from '../db/handle.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Sealer } from '../lib/sealing.ts';
import { activeSessionsOfList } from '../sessions/queries.ts';
import { accountsCookie, type Device } from './accounts-cookie.ts';

/** Returns the cookie of a list after one of its sessions got a new id. The cookie lasts as long as the list's last session. */
export async function renamedSessionCookies(
  tx: Handle,
  { sealer, now, device }: { sealer: Sealer; now: number; device: Device | undefined },
  { id, newId }: { id: string; newId: string },
): Promise<CookieChange[]> {
  const rows = device ? await activeSessionsOfList.all(tx, { ...device, now }) : [];
  if (!device || rows.length === 0) return [];
  const sessionIds = device.sessionIds.map((known) => (known === id ? newId : known));
  return [accountsCookie(sealer, { ...device, sessionIds }, Math.max(...rows.map((row) => row.expires_at)))];
}
