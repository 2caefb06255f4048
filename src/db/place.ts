import { resolve } from 'node:path';

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
  const { protocol, host, pathname } = new URL(url);
  return { file: undefined, shown: `${protocol}//${host}${pathname}` };
}
