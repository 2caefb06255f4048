// Derives the layer and the role of a file from its path alone.

/**
 * The layers, lowest first. A folder may import itself and the folders before it. Add a folder to this list together with
 * its feature.
 */
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

/** The role of a file in a feature. A file without a fixed name has the role `rule`. */
export type Role = 'routes' | 'schemas' | 'queries' | 'page' | 'guards' | 'cli' | 'rule';
const fixedRoles: readonly Role[] = ['routes', 'schemas', 'queries', 'guards', 'cli'];

/** What the path of a file says about it. */
export interface Place {
  /** Relative to src/, with `/`. */
  path: string;
  /** The folder below src/, or the file's own name for pages.ts, service-routes.ts, app.ts, start.ts and main.ts. */
  folder: string;
  /** The number of the layer. A higher layer may import a lower one. -1 for a folder that is not in the list. */
  layer: number;
  isFeature: boolean;
  isTest: boolean;
  /** Whether the file runs in the browser, as the shared browser code and the scripts of pages do. */
  isBrowserCode: boolean;
  role: Role;
}

/** Returns the role of a file: `page` for a file below `page/`, else the role that its name says. */
function findRole(path: string): Role {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(\.test)?\.ts$/, '');
  if (path.includes('/page/')) return 'page';
  return fixedRoles.find((role) => name === role || name.endsWith(`-${role}`)) ?? 'rule';
}

/** Returns the place of a file; `path` is relative to src/. A test has the role of the file that it tests. */
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
