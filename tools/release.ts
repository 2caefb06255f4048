// Packs a release: npm run release. Stops if the tree has uncommitted changes, if the changelog has no entry for the
// version, or if a check or a test fails. One of the tests compares the notices with the bundle.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');

function stop(reason: string): never {
  process.stderr.write(`No release: ${reason}.\n`);
  process.exit(1);
}

function run(...command: [string, ...string[]]): void {
  const [program, ...args] = command;
  if (spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status !== 0) stop(`${command.join(' ')} failed`);
}

const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const changes = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
if (changes.status !== 0) stop('git status failed');
if (changes.stdout !== '') stop('the tree has changes that are not committed');
if (
  !readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    .split('\n')
    .some((line) => line.startsWith(`## ${version} `))
)
  stop(`CHANGELOG.md has no entry for ${version}`);
run('npm', 'ci');
run('npm', 'run', 'check');
run('npm', 'test');
run('npm', 'run', 'test:packed');
run('npm', 'run', 'audit:bundled');
run('npm', 'pack');
