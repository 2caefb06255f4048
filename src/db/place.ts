import { resolve } from 'node:path';
import { postgresHost, postgresServers } from '../settings/postgres-url.ts';

/** The place where a database is. */
export interface Place {
  /** Path of the SQLite file; undefined for PostgreSQL. */
  file: string | undefined;
  /** The place as it may be shown to people, without credentials. */
  shown: string;
}

/** Returns the place that a DATABASE_URL names. */
export function placeOf(url: string): Place {
  const [, path] = /^sqlite:(.*)$/.exec(url) ?? [];
  if (path) return { file: resolve(path), shown: resolve(path) };
  const servers = postgresServers(url) ?? [];
  const [name = ''] = servers.map(({ pathname }) => pathname);
  const hosts = servers.map(postgresHost).join(',');
  if (hosts.startsWith('/')) return { file: undefined, shown: `postgres://${name}?host=${hosts}` };
  return { file: undefined, shown: `postgres://${hosts}${name}` };
}
