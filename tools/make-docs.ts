// Generates pages of docs/ from the tables of the program. `npm run docs` writes them. With --check, which `npm run
// check` uses, it writes nothing, but reports outdated pages and the findings of the linter in docs/openapi.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createProgram } from '../src/cli/program.ts';
import { diagnosticRoutes } from '../src/diagnostics/routes.ts';
import { programVersion } from '../src/lib/package-root.ts';
import { adminOperations } from './docs/admin-operations.ts';
import { allRoutes } from './docs/all-routes.ts';
import { auditPage } from './docs/audit.ts';
import { commandLinePage } from './docs/command-line.ts';
import { errorsPage } from './docs/errors.ts';
import { lintOpenApi } from './docs/lint-openapi.ts';
import { openApiDocument } from './docs/openapi.ts';
import { routesPage } from './docs/routes.ts';
import { settingsPage } from './docs/settings.ts';

/** Returns the generated files: path below the project to text. The same program always gives the same texts. */
export function generatedDocs(): Record<string, string> {
  const version = programVersion();
  const routes = [
    ...allRoutes,
    ...diagnosticRoutes({
      totals: () => ({ count: 0, failed: 0, longestMs: 0 }),
      recent: () => [],
      reset: () => undefined,
    }),
  ];
  const program = createProgram({ version, serve: async () => undefined, checkTheme: async () => undefined });
  return {
    'docs/audit.md': auditPage(),
    'docs/settings.md': settingsPage(),
    'docs/routes.md': routesPage(routes),
    'docs/errors.md': errorsPage(),
    'docs/openapi.json': openApiDocument(routes, version),
    'docs/command-line.md': commandLinePage(program),
    'packages/client/src/admin-operations.ts': adminOperations(allRoutes),
  };
}

/** Lists the generated files of a project that are missing or outdated. */
export function staleDocs(project: string, docs: Record<string, string> = generatedDocs()): string[] {
  return Object.entries(docs)
    .filter(([path, text]) => {
      const file = join(project, path);
      return !existsSync(file) || readFileSync(file, 'utf8') !== text;
    })
    .map(([path]) => path);
}

function writeDocs(project: string): void {
  for (const [path, text] of Object.entries(generatedDocs())) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const project = join(import.meta.dirname, '..');
  if (process.argv.includes('--check')) {
    const docs = generatedDocs();
    const faults = [
      ...staleDocs(project, docs).map((path) => `${path} is stale: run npm run docs and commit it`),
      ...lintOpenApi(docs['docs/openapi.json'] ?? '').map((fault) => `docs/openapi.json: ${fault}`),
    ];
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    process.exitCode = faults.length > 0 ? 1 : 0;
  } else {
    writeDocs(project);
  }
}
