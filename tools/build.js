// Builds dist/ with esbuild: the program as a bundle, and the browser's code and styles under names that contain a hash
// of their content. Copies templates and lists. Bundles the client into packages/client/dist. Each folder is built beside the
// existing one and replaces it when it is complete, so that a running server never sees an unfinished build. Builds
// nothing if the sources are unchanged.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { writeThirdParty } from './third-party.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/**
 * The target of each build, and its temporary folder. Both are in the same parent folder, because the relative paths in
 * source maps must stay valid after the move.
 */
const inPlace = join(root, 'dist');
const dist = `${inPlace}-${process.pid}`;
const client = join(root, 'packages/client');
const clientInPlace = join(client, 'dist');
const clientDist = `${clientInPlace}-${process.pid}`;
/** A file of the package that the list of common passwords is generated from. */
const PASSWORD_LIST = 'node_modules/@zxcvbn-ts/language-common/package.json';
/** The file in dist/ that contains the hash of the sources. */
const STAMP = 'built-from.txt';
const require = createRequire(import.meta.url);
const pictures = ['icon.svg', 'icon.png', 'favicon.ico', 'bg.webp'];

function isInstalled(name) {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the source files that the bundle's source maps list. Some packages are bundles themselves, so their source maps
 * list files of further packages.
 */
function mappedSources() {
  const maps = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.map'));
  return maps.flatMap((name) => {
    const file = join(dist, name);
    const { sources } = JSON.parse(readFileSync(file, 'utf8'));
    return sources.map((source) => relative(root, join(dirname(file), source)));
  });
}

/** Keeps oidc-provider from printing its own notices, because the service must print only lines of its log. */
const withoutNotices = {
  name: 'without-notices',
  setup: ({ onLoad }) => {
    const contents = 'export const info = () => undefined;\nexport const warn = () => undefined;\n';
    onLoad({ filter: /[\\/]oidc-provider[\\/]lib[\\/]helpers[\\/]attention\.js$/ }, () => ({ contents }));
  },
};

/**
 * Bundles the program into one entry file, and files that it loads later. The packages under `dependencies` in
 * package.json are not bundled, because they are native or need files of their own. All other packages are bundled, so
 * that a command starts in a third of the time.
 */
async function bundleProgram() {
  const { build } = await import('esbuild');
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'src/main.ts')],
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...Object.keys(dependencies), 'pg-native'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
    plugins: [withoutNotices],
    chunkNames: 'chunks/[name]-[hash]',
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  return [...Object.keys(metafile.inputs), ...mappedSources()];
}

/** Copies a picture that pages use to the styles, under a name with a hash. Returns that name. */
function copyHashed(name) {
  const content = readFileSync(join(root, 'src/ui/images', name));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const hashed = name.replace('.', `.${hash}.`);
  writeFileSync(join(dist, 'ui/assets', hashed), content);
  return hashed;
}

/** Writes the files with fixed URLs: the pictures, and the script that applications load. */
async function makePublicFiles() {
  const { build } = await import('esbuild');
  const target = join(dist, 'ui/public');
  for (const name of pictures) cpSync(join(root, 'src/ui/images', name), join(target, name));
  const sources = join(root, 'src/ui/browser/public');
  cpSync(join(sources, 'globals.d.ts'), join(target, 'main.d.ts'));
  await build({
    entryPoints: [join(sources, 'main.ts')],
    outfile: join(target, 'main.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  });
}

/** Bundles the entry points of the client. Code that several of them use is in files of its own. */
async function bundleClient(names) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: client,
    entryPoints: names.map((name) => `src/${name}.ts`),
    outdir: clientDist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    external: ['next/headers.js'],
    chunkNames: 'chunk-[hash]',
    minify: true,
    sourcemap: true,
    logLevel: 'warning',
  });
}

/** Matches an import of another file in the types of the client. */
const IMPORTED_TYPES = /(from '\.\/)([\w-]+)\.ts(')/g;

/**
 * Writes the types of the client's entry points, and of the files that they import. Indents with tabs and leaves out the
 * semicolons at the ends of lines, because the size of the package is limited.
 */
function writeClientTypes(names) {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const flags = ['-p', client, '--outDir', clientDist, '--emitDeclarationOnly'];
  const done = spawnSync(process.execPath, [compiler, ...flags], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
  const used = new Set(names);
  for (const name of used) {
    const file = join(clientDist, `${name}.d.ts`);
    const text = readFileSync(file, 'utf8');
    for (const [, , other] of text.matchAll(IMPORTED_TYPES)) used.add(other);
    const short = text.replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)).replace(/;$/gm, '');
    writeFileSync(file, short.replace(IMPORTED_TYPES, '$1$2.js$3'));
  }
  const isUnused = (name) => name.endsWith('.d.ts') && !used.has(basename(name, '.d.ts'));
  for (const name of readdirSync(clientDist).filter(isUnused)) rmSync(join(clientDist, name));
}

async function buildClient() {
  const { exports } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const names = Object.values(exports).flatMap((path) => (path.endsWith('.js') ? [basename(path, '.js')] : []));
  await bundleClient(names);
  writeClientTypes(names);
}

/** Finds the pages, src/FEATURE/page/NAME. Returns their names and folders. */
function findPages() {
  const source = join(root, 'src');
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && basename(entry.parentPath) === 'page')
    .map(({ name, parentPath }) => ({ name, folder: join(parentPath, name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const hasFile = (file) => existsSync(file);

/** Writes one style sheet from the shared styles and those of each page. */
function writeStyleSheet(pages) {
  const sheets = [join(root, 'src/ui/styles/app.css'), ...pages.map(({ folder }) => join(folder, 'style.css'))];
  const file = join(dist, 'app.css');
  writeFileSync(
    file,
    sheets
      .filter(hasFile)
      .map((sheet) => `@import ${JSON.stringify(sheet)};\n`)
      .join(''),
  );
  return file;
}

async function bundleAssets(pages) {
  const { build } = await import('esbuild');
  const scripts = pages.map(({ name, folder }) => ({ in: join(folder, 'script.ts'), out: name }));
  const styleSheet = writeStyleSheet(pages);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      ...['page', 'errors-en', 'errors-de'].map((name) => ({ in: join(root, `src/ui/browser/${name}.ts`), out: name })),
      ...scripts.filter((script) => hasFile(script.in)),
      { in: styleSheet, out: 'app' },
    ],
    outdir: join(dist, 'ui/assets'),
    entryNames: '[name].[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    logLevel: 'warning',
  });
  rmSync(styleSheet);
  const names = {};
  for (const [file, output] of Object.entries(metafile.outputs)) {
    // The file has the form NAME.HASH.js; the manifest maps NAME.js to it.
    if (output.entryPoint) names[basename(file).replace(/\.[^.]+(?=\.\w+$)/, '')] = basename(file);
  }
  for (const name of pictures) names[name] = copyHashed(name);
  writeFileSync(join(dist, 'ui/assets/manifest.json'), `${JSON.stringify(names, null, 2)}\n`);
  return Object.keys(metafile.inputs);
}

/**
 * Copies the layout, the parts and the template of each page, under the names that an operator uses to replace them. The
 * parts of a single page are in a folder with the page's name.
 */
function copyTemplates(pages) {
  const target = join(dist, 'ui/templates');
  cpSync(join(root, 'src/ui/templates'), target, { recursive: true });
  for (const { name, folder } of pages) {
    cpSync(join(folder, 'template.eta'), join(target, `${name}.eta`));
    const parts = join(folder, 'parts');
    if (existsSync(parts)) cpSync(parts, join(target, 'parts', name), { recursive: true });
  }
}

/** Computes a hash of all sources of the build. */
function hashSources() {
  const hash = createHash('sha256');
  const add = (name) => hash.update(`${name}\n`).update(readFileSync(join(root, name)));
  const files = ['src', 'packages/client/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  const names = files.map((entry) => relative(root, join(entry.parentPath, entry.name)));
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'packages/client/tsconfig.json'];
  for (const name of [...names.sort(), 'tools/build.js', 'tools/third-party.js', ...settings]) add(name);
  return hash.digest('hex');
}

function stampInPlace() {
  const stamp = join(inPlace, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Renames a folder. Returns false if it does not exist or the new name is taken. */
function move(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) return false;
    throw error;
  }
}

/**
 * Replaces a folder by the new build. If two builds run at the same time, the later build finds the result of the other
 * build in place, which has the same content.
 */
function putInPlace(made, place) {
  const former = `${made}-former`;
  move(place, former);
  move(made, place);
  rmSync(former, { recursive: true, force: true });
}

if (!isInstalled('esbuild')) {
  if (existsSync(join(inPlace, 'main.js'))) process.exit(0);
  process.stderr.write('dist/ is not built and the bundler is not installed: run npm ci without --omit=dev once.\n');
  process.exit(1);
}
const sources = hashSources();
const made = [clientInPlace, ...['THIRD-PARTY-NOTICES', 'sbom.cdx.json'].map((name) => join(root, name))];
if (stampInPlace() === sources && made.every((path) => existsSync(path))) process.exit(0);
process.on('exit', () => {
  for (const folder of [dist, clientDist]) rmSync(folder, { recursive: true, force: true });
});
mkdirSync(join(dist, 'ui/assets'), { recursive: true });
const inputs = await bundleProgram();
await buildClient();
const pages = findPages();
inputs.push(...(await bundleAssets(pages)));
await makePublicFiles();
copyTemplates(pages);
cpSync(join(root, 'src/users/common-passwords.txt'), join(dist, 'users/common-passwords.txt'));
writeThirdParty(root, [...inputs, PASSWORD_LIST]);
writeFileSync(join(dist, STAMP), sources);
putInPlace(clientDist, clientInPlace);
putInPlace(dist, inPlace);
if (stampInPlace() !== sources) throw new Error(`${inPlace} is in the way`);
