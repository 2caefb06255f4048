// Builds dist/: the program by the TypeScript compiler, the browser's code and styles by esbuild under names that
// carry a hash of their content, and the templates as they are.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

function isInstalled(name) {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

function compileProgram() {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const done = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

async function bundleAssets() {
  const { build } = await import('esbuild');
  const ui = join(root, 'src/ui');
  const entries = ['browser', 'styles'].flatMap((folder) =>
    existsSync(join(ui, folder))
      ? readdirSync(join(ui, folder))
          .filter((name) => /^[a-z-]+\.(ts|css)$/.test(name))
          .map((name) => join(ui, folder, name))
      : [],
  );
  const { metafile } = await build({
    entryPoints: entries,
    outdir: join(dist, 'ui/assets'),
    entryNames: '[name].[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    logLevel: 'warning',
  });
  const names = {};
  for (const [file, output] of Object.entries(metafile.outputs)) {
    if (output.entryPoint) names[basename(output.entryPoint).replace(/\.ts$/, '.js')] = basename(file);
  }
  writeFileSync(join(dist, 'ui/assets/manifest.json'), `${JSON.stringify(names, null, 2)}\n`);
}

if (!isInstalled('typescript')) {
  if (existsSync(join(dist, 'main.js'))) process.exit(0);
  process.stderr.write('dist/ is not built and the compiler is not installed: run npm ci without --omit=dev once.\n');
  process.exit(1);
}
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'ui/assets'), { recursive: true });
compileProgram();
await bundleAssets();
cpSync(join(root, 'src/ui/templates'), join(dist, 'ui/templates'), { recursive: true });
cpSync(join(root, 'src/users/common-passwords.txt'), join(dist, 'users/common-passwords.txt'));
