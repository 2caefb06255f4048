// Takes a picture of every page in each of its states: in light and dark, on a phone and on a desktop, in German on a
// phone, and mirrored as for a script that is written from right to left. Takes some states again with the brands of two
// operators; one brand has a red accent colour and a logo that contains the name. Run it with npm run screenshots
// [NAME…]. Writes the pictures to screenshots/. With names, such as login-anonymous or brand-login-anonymous, takes only
// those pictures again.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import {
  createWorld,
  looks,
  putOn,
  SCENE_SETTINGS,
  type Scene,
  scenes,
  type Theme,
  type World,
} from '../test/browser/scenes.ts';
import { findChromium, launchChromium } from '../test/support/chromium.ts';
import { startApp } from '../test/support/start-app.ts';

const phone: Theme = { width: 360, height: 740, scheme: 'light' };
const folder = join(import.meta.dirname, '../screenshots');

/** A typical logo of an operator: one file, in dark colours for a light page. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 78 32"><path fill="#1e1b4b" d="M2 28 16 4l14 24h-8l-6-11-6 11z"/><path fill="#6d28d9" d="M36 8h24v6H36zm0 10h40v6H36z"/></svg>';
/** A logo that contains the name. */
const WORDMARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 190 40"><circle cx="20" cy="20" r="16" fill="#e11d48"/><path stroke="#fff" stroke-width="4" d="M12 20h16M20 12v16"/><text x="46" y="28" font-family="sans-serif" font-size="24" font-weight="700" textLength="140" lengthAdjust="spacingAndGlyphs" fill="#1f2937">Praxis Plus</text></svg>';
/** The logo of a provider. */
const PROVIDER =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0f172a" d="M12 2 22 8v8l-10 6-10-6V8z"/><path fill="#f8fafc" d="m12 7 6 3.500v5L12 19l-6-3.500v-5z"/></svg>';

const BRANDED = [
  'login-anonymous',
  'login-last-used',
  'two-factor-usual',
  'test-session',
  'accounts-several',
  'device-pending',
  'info-not-checked',
  'error-not-found',
];

/** Scenes that show errors, focus or notices together with the accent colour. */
const RED = [
  'login-anonymous',
  'login-wrong-password',
  'login-not-allowed',
  'two-factor-code-refused',
  'test-logout',
  'login-logged-out',
  'accounts-several',
  'test-session',
  'device-pending',
  'error-not-linked',
];

interface Series {
  prefix: string;
  settings: Record<string, string>;
  chosen: readonly Scene[];
}

/** Takes a picture of the whole page, as high as its content. With an open dialog, takes only the visible part. */
async function take(page: Page, look: Theme, name: string): Promise<void> {
  await putOn(page, look);
  await page.mouse.move(0, 0);
  if ((await page.locator('dialog[open]').count()) === 0) {
    // Margins grow with the window, and then the content grows too, so this repeats until the height is stable.
    for (let height = 0, content = look.height; content > height; ) {
      height = content;
      await page.setViewportSize({ width: look.width, height });
      content = await page.evaluate<number>('document.documentElement.scrollHeight');
    }
  }
  // Waits until the browser has painted the enlarged window.
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`${name}.png\n`);
}

async function show(
  browser: Browser,
  world: World,
  { scene, locale }: { scene: Scene; locale: string },
): Promise<Page> {
  const context = await browser.newContext({ locale, timezoneId: 'UTC' });
  const page = await context.newPage();
  await putOn(page, phone);
  await scene.show(page, world);
  return page;
}

async function photograph(browser: Browser, world: World, scene: Scene, title: string): Promise<void> {
  const english = await show(browser, world, { scene, locale: 'en' });
  for (const look of looks) await take(english, look, `${title}-${look.width}-${look.scheme}`);
  await english.evaluate("document.documentElement.dir = 'rtl'");
  await take(english, phone, `${title}-360-mirrored`);
  await english.context().close();
  const german = await show(browser, world, { scene, locale: 'de' });
  await take(german, phone, `${title}-360-german`);
  await german.context().close();
}

async function takeSeries(browser: Browser, { prefix, settings, chosen }: Series): Promise<void> {
  if (chosen.length === 0) return;
  const stops: (() => Promise<void>)[] = [];
  try {
    const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.push(stop) };
    const app = await startApp(owner, { database: 'sqlite', settings: { ...SCENE_SETTINGS, ...settings } });
    const world = await createWorld(app);
    for (const scene of chosen) await photograph(browser, world, scene, prefix + scene.name);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function main(): Promise<number> {
  const chromium = await findChromium();
  if (chromium === undefined) return 1;
  const names = process.argv.slice(2);
  const isWanted = (name: string) => names.length === 0 || names.includes(name);
  const brandFolder = await mkdtemp(join(tmpdir(), 'authsvc-brand-'));
  const browser = await launchChromium(chromium);
  try {
    await mkdir(folder, { recursive: true });
    const place = (name: string) => join(brandFolder, `${name}.svg`);
    const [BRAND_LOGO, wordmark, CODEHOST_LOGO] = [place('logo'), place('wordmark'), place('provider')];
    await writeFile(BRAND_LOGO, LOGO);
    await writeFile(wordmark, WORDMARK);
    await writeFile(CODEHOST_LOGO, PROVIDER);
    const usual = scenes.filter(({ name }) => isWanted(name));
    const branded = (prefix: string, names: readonly string[]) =>
      scenes.filter(({ name }) => names.includes(name) && isWanted(prefix + name));
    const brand = branded('brand-', BRANDED);
    const red = branded('red-', RED);
    await takeSeries(browser, { prefix: '', settings: {}, chosen: usual });
    const violet = { BRAND_NAME: 'Nordlicht Logistik', BRAND_ACCENT: '#6d28d9', BRAND_LOGO };
    await takeSeries(browser, { prefix: 'brand-', settings: violet, chosen: brand });
    const words = { BRAND_NAME: 'Praxis Plus', CODEHOST_LABEL: 'Hexagon', WEBSSO_LABEL: 'Praxis account' };
    const pictures = { BRAND_LOGO: wordmark, BRAND_LOGO_HAS_NAME: 'true', CODEHOST_LOGO };
    const redLook = { ...words, ...pictures, BRAND_ACCENT: '#e11d48' };
    await takeSeries(browser, { prefix: 'red-', settings: redLook, chosen: red });
    return usual.length + brand.length + red.length > 0 ? 0 : 1;
  } finally {
    await browser.close();
    await rm(brandFolder, { recursive: true });
  }
}

const usage = `npm run screenshots [NAME…]

Takes pictures of the pages into screenshots/. NAME is a scene, such as ${BRANDED[0]}, or a scene of an operator's
brand, such as brand-${BRANDED[0]} or red-${RED[1]}. Without a name, it takes all of them.

Scenes:
${scenes.map(({ name }) => `  ${name}`).join('\n')}
`;

if (process.argv.includes('--help')) process.stdout.write(usage);
else process.exitCode = await main();
