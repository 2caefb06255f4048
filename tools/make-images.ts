// Renders the bitmap pictures for browsers from the drawings in src/ui/images: npm run images. The results are committed,
// so that neither an installation nor a build has to render them.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import pngToIco from 'png-to-ico';
import sharp from 'sharp';

const folder = join(import.meta.dirname, '../src/ui/images');
const ICON_UNITS = 32;
const DOTS_PER_INCH = 72;
const MAX_BACKGROUND_BYTES = 60_000;

/** Renders the icon as a square PNG. It is rendered at its final size, not scaled up. */
function drawIcon(drawing: Buffer, size: number): Promise<Buffer> {
  return sharp(drawing, { density: (DOTS_PER_INCH * size) / ICON_UNITS })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

async function makeImages(): Promise<string[]> {
  const icon = await readFile(join(folder, 'icon.svg'));
  const background = await readFile(join(folder, 'background.svg'));
  await writeFile(join(folder, 'icon.png'), await drawIcon(icon, 512));
  const sizes = await Promise.all([16, 32, 48].map((size) => drawIcon(icon, size)));
  await writeFile(join(folder, 'favicon.ico'), await pngToIco(sizes));
  await writeFile(join(folder, 'bg.webp'), await sharp(background).webp({ quality: 82, effort: 6 }).toBuffer());
  return ['icon.png', 'favicon.ico', 'bg.webp'];
}

for (const name of await makeImages()) {
  const { size } = await stat(join(folder, name));
  process.stdout.write(`${name}: ${size} bytes\n`);
  if (name === 'bg.webp' && size > MAX_BACKGROUND_BYTES) {
    process.stderr.write(`${name} is larger than ${MAX_BACKGROUND_BYTES} bytes\n`);
    process.exitCode = 1;
  }
}
