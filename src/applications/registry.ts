import { anyRowOf } from '../db/changes.ts';
import type { LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { type Application, toApplication } from './application.ts';
import { allApplications } from './queries.ts';

/** The active applications as they are at one moment. */
export interface Registry {
  /** The active applications by key, in lower case. */
  active: ReadonlyMap<string, Application>;
  /** The active applications by the origins of their URLs. Several can have the same origin. */
  byOrigin: ReadonlyMap<string, readonly Application[]>;
}

declare module '../http/route.ts' {
  interface Services {
    /** Caches the registry under a single key. */
    registryCache: LookupCache<Registry>;
  }
}

const EVERY_APPLICATION = 'all';

function toRegistry(applications: readonly Application[]): Registry {
  const active = new Map<string, Application>();
  const byOrigin = new Map<string, Application[]>();
  for (const application of applications.filter(({ disabledAt }) => disabledAt === null)) {
    active.set(application.key, application);
    for (const origin of new Set(application.urls.map((url) => new URL(url).origin))) {
      byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), application]);
    }
  }
  return { active, byOrigin };
}

/**
 * Returns the active applications. They stay in the cache until any application changes, and the cache is used only while
 * this process receives every change. A change takes effect at once on SQLite, and within a second on PostgreSQL.
 *
 * @throws DatabaseError if the registry is not in the cache and the database is lost
 * @see docs/decisions/0011-change-feed.md
 */
export async function findRegistry({
  database,
  registryCache,
}: Pick<Services, 'database' | 'registryCache'>): Promise<Registry> {
  const registry = await registryCache.find(EVERY_APPLICATION, async () => {
    const rows = await allApplications.all(database, {});
    return { value: toRegistry(rows.map(toApplication)), rows: [anyRowOf('applications')] };
  });
  return registry ?? toRegistry([]);
}

/** Returns names of applications to show to people: an active application's name, or the key of any other. */
export const nameApplications = ({ active }: Registry, keys: readonly string[]): string[] =>
  keys.map((key) => active.get(key.toLowerCase())?.name ?? key);
