import { randomInt } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Client } from '../support/client.ts';
import {
  authorize,
  CALLBACK,
  claimsIn,
  type RelyingParty,
  redeem,
  refresh,
  sentTo,
  signInTo,
  userinfo,
} from '../support/relying-party.ts';
import { type Owner, type Place, runCommand, type Service } from './support.ts';

/** Long enough for a busy machine. Every wait ends as soon as its condition is true. */
const patience = { timeout: 30_000, interval: 20 };

/** Registers an application with the command line. */
export async function register(
  t: Owner,
  place: Place,
  key: string,
  options: readonly string[] = [],
): Promise<RelyingParty> {
  const args = ['app', 'add', key, '--name', key, '--redirect-uri', CALLBACK, '--json', ...options];
  const { code, stderr, json } = await runCommand(t, place, args);
  if (code !== 0) throw new Error(`the application could not be added: ${stderr}`);
  const { secret = '' }: { secret?: string } = Object(json);
  return { key, secret };
}

/** The results that the service has acknowledged. */
export interface Promises {
  /** Access tokens that must be valid, each with its refresh token. */
  alive: Map<string, string>;
  /** Access tokens whose session ended, each with the `sid` in the logout that the application must get. */
  ended: Map<string, string>;
}

/**
 * Signs in to the application, refreshes the tokens and, half of the time, signs out. Only acknowledged requests count,
 * not those that a kill interrupts.
 */
export async function visit(
  service: Pick<Service, 'client'>,
  rp: RelyingParty,
  user: { username: string; password: string },
  { alive, ended }: Promises,
): Promise<void> {
  const browser = service.client();
  const login = await browser.login(user);
  if (login.status !== 200) throw new Error(`the login was answered with ${login.status}: ${login.text}`);
  const first = await signInTo(service.client(), browser, rp);
  const { status, body } = await refresh(service.client(), rp, first.refresh_token);
  if (status !== 200) throw new Error(`the refresh was answered with ${status}`);
  const access = String(body.access_token);
  const isLeaving = randomInt(2) === 0;
  if (!isLeaving) alive.set(access, String(body.refresh_token));
  else if ((await browser.logout()).status === 200) ended.set(access, String(claimsIn(first.id_token).sid));
}

/** Returns the status of a reply, or 0 if there was none. */
const statusOf = (reply: Promise<{ status: number }>): Promise<number> =>
  reply.then(({ status }) => status).catch(() => 0);

/**
 * Uses a code, and then a refresh token, at two services at the same time.
 *
 * @returns how many of the two services issued tokens, for the code and for the refresh token; fewer entries if the first
 *   service stopped before
 */
export async function useTwice(
  services: readonly [Service, Service],
  rp: RelyingParty,
  user: { username: string; password: string },
): Promise<number[]> {
  const [first] = services;
  const browser = first.client();
  await browser.login(user);
  const winnersOf = async (use: (client: Client) => Promise<{ status: number }>) => {
    const statuses = await Promise.all(services.map((service) => statusOf(use(service.client()))));
    return statuses.filter((status) => status === 200).length;
  };
  const code = sentTo(await authorize(browser, rp), 'code');
  if (code === '') return [];
  const redeemed = await winnersOf((client) => redeem(client, rp, code));
  const { body, status } = await redeem(first.client(), rp, sentTo(await authorize(browser, rp), 'code'));
  if (status !== 200) return [redeemed];
  return [redeemed, await winnersOf((client) => refresh(client, rp, body.refresh_token))];
}

export const noPromises = (): Promises => ({ alive: new Map(), ended: new Map() });

/**
 * Checks that the tokens in `alive` are valid, that the tokens in `ended` are not, and that the application got a
 * logout for every session that ended.
 */
export async function expectKept(
  service: Service,
  rp: RelyingParty,
  { alive, ended }: Promises,
  told: readonly string[],
): Promise<void> {
  const check = async (access: string) => (await userinfo(service.client(), access)).status;
  const statuses = async (tokens: Iterable<string>) => new Set(await Promise.all([...tokens].map(check)));

  expect([alive.size, ended.size].every((size) => size > 0)).toBe(true);
  expect(await statuses(alive.keys())).toEqual(new Set([200]));
  expect(await statuses(ended.keys())).toEqual(new Set([401]));
  const refreshed = await Promise.all([...alive.values()].map((token) => refresh(service.client(), rp, token)));
  expect(new Set(refreshed.map(({ status }) => status))).toEqual(new Set([200]));
  await vi.waitFor(() => expect([...ended.values()].filter((sid) => !told.includes(sid))).toEqual([]), patience);
}
