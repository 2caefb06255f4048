import { resolve } from 'node:path';
import { postgresServers } from '../settings/postgres-url.ts';

/** Where a database is. */
export interface Place {
  /** The file of an SQLite database; none for PostgreSQL. */
  file: string | undefined;
  /** As it may be shown: without credentials. */
  shown: string;
}

/** What a DATABASE_URL says. */
export function placeOf(url: string): Place {
  const [, path] = /^sqlite:(.*)$/.exec(url) ?? [];
  if (path) return { file: resolve(path), shown: resolve(path) };
  const servers = (postgresServers(url) ?? [url]).map((server) => new URL(server));
  const hosts = servers.map(({ host }) => host).join(',');
  return { file: undefined, shown: `postgres://${hosts}${servers[0]?.pathname ?? ''}` };
}
