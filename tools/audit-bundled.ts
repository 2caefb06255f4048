// Runs `npm audit` on the packages that sbom.cdx.json lists: npm run audit:bundled. They are bundled, so an audit of an
// installation does not see them. Exits with 1 for a fault that is rated high or critical.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

interface Component {
  name: string;
  version: string;
}

const file = join(import.meta.dirname, '../sbom.cdx.json');
const { components }: { components: Component[] } = JSON.parse(readFileSync(file, 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'authsvc-audit-'));

/** Runs npm in the folder and returns its exit code. */
function npm(...args: string[]): number {
  return spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status ?? 1;
}

try {
  // A package may be listed in two versions, so each entry gets its own alias.
  const aliases = components.map(({ name, version }, index) => [`audited-${index}`, `npm:${name}@${version}`]);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies: Object.fromEntries(aliases) }),
  );
  const locked = npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--force', '--loglevel=error');
  process.exitCode = locked === 0 ? npm('audit', '--audit-level=high') : locked;
} finally {
  rmSync(folder, { recursive: true });
}
