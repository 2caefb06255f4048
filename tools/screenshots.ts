// Takes a picture of every page in each of its states, in light and dark, on a phone and on a desk, in German on a phone,
// and mirrored as for a script that runs from right to left: npm run screenshots [NAME…]. The pictures lie in screenshots/
// then; with names, only those scenes are taken anew.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import {
  createWorld,
  type Look,
  looks,
  putOn,
  SCENE_SETTINGS,
  type Scene,
  scenes,
  type World,
} from '../test/browser/scenes.ts';
import { findChromium, launchChromium } from '../test/kit/chromium.ts';
import { startApp } from '../test/kit/start-app.ts';

const phone: Look = { width: 360, height: 740, scheme: 'light' };
const folder = join(import.meta.dirname, '../screenshots');

async function take(page: Page, look: Look, name: string): Promise<void> {
  await putOn(page, look);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
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

async function photograph(browser: Browser, world: World, scene: Scene): Promise<void> {
  const english = await show(browser, world, { scene, locale: 'en' });
  for (const look of looks) await take(english, look, `${scene.name}-${look.width}-${look.scheme}`);
  await english.evaluate("document.documentElement.dir = 'rtl'");
  await take(english, phone, `${scene.name}-360-mirrored`);
  await english.context().close();
  const german = await show(browser, world, { scene, locale: 'de' });
  await take(german, phone, `${scene.name}-360-german`);
  await german.context().close();
}

async function main(): Promise<number> {
  const chromium = await findChromium();
  if (chromium === undefined) return 1;
  const names = process.argv.slice(2);
  const chosen = scenes.filter(({ name }) => names.length === 0 || names.includes(name));
  const stops: (() => Promise<void>)[] = [];
  const browser = await launchChromium(chromium);
  stops.push(() => browser.close());
  try {
    await mkdir(folder, { recursive: true });
    const app = await startApp(
      { onTestFinished: (stop) => void stops.push(stop) },
      { database: 'sqlite', settings: SCENE_SETTINGS },
    );
    const world = await createWorld(app);
    for (const scene of chosen) await photograph(browser, world, scene);
    return chosen.length > 0 ? 0 : 1;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

process.exitCode = await main();
