import { anyRowOf } from '../db/changes.ts';
import type { LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { type Application, toApplication } from './application.ts';
import { allApplications } from './queries.ts';

/** The applications at one moment. */
export interface Registry {
  /** Those that are active, by key in lower case. */
  active: ReadonlyMap<string, Application>;
  /** The same by the origins of their URLs; several may share one. */
  byOrigin: ReadonlyMap<string, readonly Application[]>;
}

declare module '../http/route.ts' {
  interface Services {
    /** The cached registry, under one key. */
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
 * Finds the active applications. They stay in the cache until any application changes, and are used while every change
 * is known: on SQLite a change takes effect at once, on PostgreSQL within a second.
 *
 * @throws DatabaseError if the registry has to be read and the database is lost
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

/** Names applications for people: by the name of each active one, and by the key of any other. */
export const nameApplications = ({ active }: Registry, keys: readonly string[]): string[] =>
  keys.map((key) => active.get(key.toLowerCase())?.name ?? key);
