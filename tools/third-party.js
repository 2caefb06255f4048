// Writes THIRD-PARTY-NOTICES and sbom.cdx.json, which list the packages of other authors in our package. They are the
// packages whose files the bundler put into dist/.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
/** The text for packages that name the MIT licence but do not contain its text. */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const byName = (a, b) => (a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1);

/** Returns the folders of the packages that the bundler's input files belong to: `node_modules/NAME`, or deeper. */
function packageFolders(inputs) {
  const folders = [...inputs].flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  return [...new Set(folders)];
}

const authorOf = ({ author, name }) => (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`;

/** Returns the licence of a package. In old packages, `license` is an object. */
function licenceOf({ name, license }) {
  const licence = license?.type ?? license;
  if (typeof licence !== 'string') throw new Error(`${name} names no licence`);
  return licence;
}

function licenceText(folder, manifest) {
  const files = readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .sort();
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
  if (manifest.license !== 'MIT') throw new Error(`${manifest.name} carries no text of its licence`);
  return `Copyright (c) ${authorOf(manifest)}\n\n${MIT}`;
}

function readPackage(root, folder) {
  const manifest = readJson(join(root, folder, 'package.json'));
  const { name, version } = manifest;
  return { name, version, licence: licenceOf(manifest), text: licenceText(join(root, folder), manifest) };
}

/** Returns the packages that an installation for production adds, without those for other platforms. */
function installedPackages(root) {
  const { packages } = readJson(join(root, 'package-lock.json'));
  return Object.entries(packages)
    .filter(
      ([folder, { dev, devOptional, link }]) => folder.startsWith('node_modules/') && !dev && !devOptional && !link,
    )
    .map(([folder, { version, license }]) => ({
      name: folder.replace(/^.*node_modules\//, ''),
      version,
      licence: license,
    }));
}

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Formats a licence for CycloneDX: as an SPDX id, or as an expression. */
const licencesOf = (licence) => (/[ ()]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }]);

function toBom({ name, version, license }, components) {
  const listed = components.map((component) => ({
    type: 'library',
    'bom-ref': purlOf(component),
    name: component.name,
    version: component.version,
    licenses: licencesOf(component.licence),
    purl: purlOf(component),
  }));
  const hash = createHash('sha256')
    .update(JSON.stringify([name, version, listed]))
    .digest('hex');
  const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  const own = { name, version };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purlOf(own),
        ...own,
        licenses: licencesOf(license),
        purl: purlOf(own),
      },
    },
    components: listed,
  };
}

const NOTICE = `authsvc contains software of others. Each entry names a package, its version and its licence, and holds the
text of that licence.
`;
const RULE = '-'.repeat(100);

/**
 * Writes THIRD-PARTY-NOTICES and sbom.cdx.json beside package.json. The same packages always give the same bytes.
 *
 * @param inputs paths of the files that the bundler read, relative to `root`
 * @throws Error if a package names no licence or does not contain its text
 */
export function writeThirdParty(root, inputs) {
  const bundled = packageFolders(inputs)
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => readPackage(root, folder))
    .sort(byName);
  const notices = bundled.map(
    ({ name, version, licence, text }) => `${RULE}\n${name} ${version}\nLicence: ${licence}\n\n${text}\n`,
  );
  writeFileSync(join(root, 'THIRD-PARTY-NOTICES'), [NOTICE, ...notices].join('\n'));
  const known = new Map([...bundled, ...installedPackages(root)].map((one) => [purlOf(one), one]));
  const bom = toBom(readJson(join(root, 'package.json')), [...known.values()].sort(byName));
  writeFileSync(join(root, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
}
