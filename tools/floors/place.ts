// The layer and the role of a file, from its path alone.

/** The layers: a folder may import itself and those before it. A folder is added when its feature is built. */
const layers: readonly string[] = [
  'lib',
  'errors',
  'settings',
  'db',
  'events',
  'ui',
  'http',
  'command',
  'users',
  'applications',
  'sessions',
  'factors',
  'accounts',
  'signin',
  'social',
  'api-tokens',
  'device-login',
  'visitor',
  'proxy-auth',
  'app-sessions',
  'oidc',
  'delivery',
  'webhooks',
  'audit',
  'welcome',
  'my-account',
  'admin',
  'metrics',
  'about',
  'diagnostics',
  'moving',
  'doctor',
  'cli',
];

const features: readonly string[] = layers.slice(layers.indexOf('users'), layers.indexOf('cli'));
const topFiles = ['pages.ts', 'service-routes.ts', 'app.ts', 'start.ts', 'main.ts'];

/** What a file of a feature is for; `rule` is everything that has no fixed name. */
export type Role = 'routes' | 'schemas' | 'queries' | 'page' | 'guards' | 'cli' | 'rule';
const fixedRoles: readonly Role[] = ['routes', 'schemas', 'queries', 'guards', 'cli'];

/** What a path tells about a file. */
export interface Place {
  /** Relative to src/, with `/`. */
  path: string;
  /** The folder below src/, or the file's own name for pages.ts, service-routes.ts, app.ts, start.ts and main.ts. */
  folder: string;
  /** Higher layers may import lower ones; -1 for a folder that is not in the list. */
  layer: number;
  isFeature: boolean;
  isTest: boolean;
  /** Runs in the browser: the shared code and the scripts of the pages. */
  isBrowserCode: boolean;
  role: Role;
}

/** The role of a file by its place in `page/`, else by its name. */
function findRole(path: string): Role {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(\.test)?\.ts$/, '');
  if (path.includes('/page/')) return 'page';
  return fixedRoles.find((role) => name === role || name.endsWith(`-${role}`)) ?? 'rule';
}

/** Finds the place of a file; `path` is relative to src/. A test has the role of the file it stands beside. */
export function placeOf(path: string): Place {
  const folder = path.split('/')[0] ?? path;
  const isTop = topFiles.includes(path);
  return {
    path,
    folder,
    layer: isTop ? layers.length + topFiles.indexOf(path) : layers.indexOf(folder),
    isFeature: features.includes(folder),
    isTest: path.endsWith('.test.ts'),
    isBrowserCode: path.startsWith('ui/browser/') || /\/page\/[^/]+\/script\.ts$/.test(path),
    role: findRole(path),
  };
}
