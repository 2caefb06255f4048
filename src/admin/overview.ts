import type { Services } from '../http/route.ts';
import { DAY_MS, steadyClock } from '../lib/clock.ts';
import { programVersion } from '../lib/package-root.ts';
import { countFailingWebhooks } from '../webhooks/queries.ts';
import {
  countExpiredSessions,
  countExpiringTokens,
  countedRows,
  countRefusals,
  countSuperadmins,
  countsOf,
  countWaitingMails,
} from './overview-queries.ts';

const MAX_AGE_MS = 10_000;
const DAYS = 30;
const EXPIRES_SOON_MS = 7 * DAY_MS;

/** Problems that a superadmin should look at. */
export type AttentionKind = 'superadmin_without_second_factor' | 'token_expiring' | 'webhook_failing' | 'mail_waiting';

/** The state of the service at one moment. */
export interface Overview {
  generatedAt: number;
  users: { total: number; active: number; superadmins: number };
  sessions: number;
  /** One entry for each of the last 30 days, oldest first; `date` is ISO 8601, UTC. */
  signIns: { date: string; count: number }[];
  /** Refused sign-ins, confirmations and requests of the last 24 hours by reason, most frequent first. */
  refusals: { reason: string; count: number }[];
  /** The queue of password hashes in the process that answers this request. */
  hashQueue: { waiting: number; waitMs: number };
  database: { kind: 'sqlite' | 'postgres'; latencyMs: number };
  isFeedUp: boolean;
  version: string;
  /** Contains only kinds whose count is above zero. */
  attention: { kind: AttentionKind; count: number }[];
}

type Needs = Pick<Services, 'database' | 'clock' | 'passwords'>;

declare module '../http/route.ts' {
  interface Services {
    /** Returns the state of the service. It may be up to ten seconds old. */
    readOverview(needs: Needs): Promise<Overview>;
  }
}

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

type Counts = ReadonlyMap<string, number>;

async function readCounts({ database }: Needs): Promise<Counts> {
  return new Map((await countedRows.all(database, {})).map(({ name, count }) => [name, Number(count)]));
}

const lastDays = (now: number): number[] => {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: DAYS }, (_, at) => today - DAYS + 1 + at);
};

/** Returns the sign-ins of each of the last 30 days, oldest first. */
const signInsOf = (counts: Counts, now: number): Overview['signIns'] =>
  lastDays(now).map((day) => ({ date: dateOf(day), count: counts.get(`sign_ins ${day}`) ?? 0 }));

/** Returns the OpenID Connect sign-ins to an application on each of the last 30 days, oldest first. */
export async function signInsOfApplication(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  key: string,
): Promise<Overview['signIns']> {
  const days = lastDays(clock.now());
  const nameOf = (day: number) => `sign_ins ${day} ${key}`;
  const rows = await countsOf.all(database, { names: days.map(nameOf) });
  const counts = new Map(rows.map(({ name, count }) => [name, Number(count)]));
  return days.map((day) => ({ date: dateOf(day), count: counts.get(nameOf(day)) ?? 0 }));
}

async function readAttention({ database }: Needs, now: number, withoutFactor: number): Promise<Overview['attention']> {
  const tokens = await countExpiringTokens.first(database, { now, until: now + EXPIRES_SOON_MS });
  const webhooks = await countFailingWebhooks.first(database, { before: now });
  const mails = await countWaitingMails.first(database, { now });
  const found: Overview['attention'] = [
    { kind: 'superadmin_without_second_factor', count: withoutFactor },
    { kind: 'token_expiring', count: Number(tokens?.count ?? 0) },
    { kind: 'webhook_failing', count: Number(webhooks?.count ?? 0) },
    { kind: 'mail_waiting', count: Number(mails?.count ?? 0) },
  ];
  return found.filter(({ count }) => count > 0);
}

async function measureLatency({ database }: Needs): Promise<number> {
  const from = steadyClock.now();
  await database.ping();
  return Math.round((steadyClock.now() - from) * 10) / 10;
}

async function describeState(needs: Needs): Promise<Overview> {
  const { database, clock, passwords } = needs;
  const now = clock.now();
  const latencyMs = await measureLatency(needs);
  const counts = await readCounts(needs);
  const countOf = (name: string) => counts.get(name) ?? 0;
  const superadmins = await countSuperadmins.first(database, {});
  const expired = await countExpiredSessions.first(database, { now });
  const refusals = await countRefusals.all(database, { since: now - DAY_MS });
  return {
    generatedAt: now,
    users: {
      total: countOf('users'),
      active: countOf('users') - countOf('inactive_users'),
      superadmins: Number(superadmins?.total ?? 0),
    },
    sessions: countOf('sessions') - Number(expired?.count ?? 0),
    signIns: signInsOf(counts, now),
    refusals: refusals
      .map(({ reason, count }) => ({ reason, count: Number(count) }))
      .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)),
    hashQueue: passwords.load(),
    database: { kind: database.kind, latencyMs },
    isFeedUp: database.changes.areKnown(),
    version: programVersion(),
    attention: await readAttention(needs, now, Number(superadmins?.without_factor ?? 0)),
  };
}

/** Creates the function that reads the overview. Calls within ten seconds of each other get the same overview. */
export function createOverviewReader(): Services['readOverview'] {
  let last: { at: number; overview: Promise<Overview> } | undefined;
  return (needs) => {
    const at = needs.clock.now();
    if (last && at - last.at >= 0 && at - last.at < MAX_AGE_MS) return last.overview;
    const overview = describeState(needs);
    last = { at, overview };
    overview.catch(() => {
      last = undefined;
    });
    return overview;
  };
}
