import process from 'node:process';
import { openDatabase } from '../../src/db/open.ts';
import type { Client } from '../support/client.ts';
import { type DatabaseKind, freshDatabase } from '../support/each-database.ts';
import { type Owner, startService } from './support.ts';

/** How often each race runs. Set RACE_ROUNDS=200 for a thorough run. */
export const ROUNDS = Number(process.env.RACE_ROUNDS ?? 6);

/** Starts two services, each in its own process, on one database. */
export async function startTwo(t: Owner, kind: DatabaseKind, more: Record<string, string> = {}) {
  const fresh = await freshDatabase(kind);
  t.onTestFinished(fresh.drop);
  const usual = { AUTHSVC_TWO_FA_ENABLE: 'true', MAX_SESSIONS_PER_USER: '100', env: 'dev', RATE_LIMITS: 'off' };
  const place = { ...fresh, settings: { ...usual, ...more } };
  const services = [await startService(t, place), await startService(t, place)];
  const database = await openDatabase(fresh.url, { max: 2, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(database.close);
  const clientAt = (at: number): Client => {
    const service = services[at % 2];
    if (!service) throw new Error('no service');
    return service.client();
  };
  return { place, database, clientAt };
}

/** Copies the cookies of a browser to a client of another service. */
export function sameBrowser(browser: Client, elsewhere: Client): Client {
  for (const [name, value] of browser.jar) elsewhere.jar.set(name, value);
  return elsewhere;
}
