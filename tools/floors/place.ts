// Where a file stands in the house, told from its path alone.

/** The ladder: a folder may import itself and those before it. */
const ladder: readonly string[] = [
  'kit',
  'errors',
  'settings',
  'db',
  'ui',
  'http',
  'command',
  'users',
  'sessions',
  'accounts',
  'signin',
  'social',
  'api-tokens',
  'device-login',
  'admin',
  'about',
  'diagnostics',
  'client',
  'cli',
];

const features: readonly string[] = ladder.slice(ladder.indexOf('users'), ladder.indexOf('client'));
const topFiles = ['app.ts', 'main.ts'];

/** What a file of a feature is for; `rule` is everything that has no fixed name. */
export type Role = 'routes' | 'wire' | 'queries' | 'page' | 'gates' | 'cli' | 'rule';
const fixedRoles: readonly Role[] = ['routes', 'wire', 'queries', 'page', 'gates', 'cli'];

/** What a path tells about a file. */
export interface Place {
  /** Relative to src/, with `/`. */
  path: string;
  /** The folder below src/, or the file's own name for main.ts and app.ts. */
  folder: string;
  /** Higher stands above; -1 where the house has no such floor. */
  floor: number;
  isFeature: boolean;
  isTest: boolean;
  role: Role;
}

/** Finds the place of a file; `path` is relative to src/. A test has the role of the file it stands beside. */
export function placeOf(path: string): Place {
  const folder = path.split('/')[0] ?? path;
  const isTop = topFiles.includes(path);
  const base = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.ts$/, '')
    .replace(/\.test$/, '');
  return {
    path,
    folder,
    floor: isTop ? ladder.length + topFiles.indexOf(path) : ladder.indexOf(folder),
    isFeature: features.includes(folder),
    isTest: path.endsWith('.test.ts'),
    role: fixedRoles.find((role) => base === role || base.endsWith(`-${role}`)) ?? 'rule',
  };
}
