import { resolve } from 'node:path';
import { postgresHost, postgresServers } from '../settings/postgres-url.ts';

/** The place where a database is. */
export interface Place {
  /** Path of the SQLite file; undefined for PostgreSQL. */
  file: string | undefined;
  /** The place as it may be shown to people, without credentials. */
  shown: string;
  /** The setting or the option of a command that contains the URL, for messages. */
  givenBy: string;
}

/** Returns the place that a URL names. */
export function placeOf(url: string, givenBy = 'DATABASE_URL'): Place {
  const [, path] = /^sqlite:(.*)$/.exec(url) ?? [];
  if (path) return { file: resolve(path), shown: resolve(path), givenBy };
  const servers = postgresServers(url) ?? [];
  const [name = ''] = servers.map(({ pathname }) => pathname);
  const hosts = servers.map(postgresHost).join(',');
  if (hosts.startsWith('/')) return { file: undefined, shown: `postgres://${name}?host=${hosts}`, givenBy };
  return { file: undefined, shown: `postgres://${hosts}${name}`, givenBy };
}
