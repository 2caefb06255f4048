// Takes a picture of every page in each of its states, in light and dark, on a phone and on a desk: npm run screenshots
// [NAME…]. The pictures lie in screenshots/ then; with names, only those scenes are taken anew.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser } from 'playwright-core';
import { createWorld, looks, putOn, SCENE_SETTINGS, type Scene, scenes, type World } from '../test/browser/scenes.ts';
import { findChromium, launchChromium } from '../test/kit/chromium.ts';
import { startApp } from '../test/kit/start-app.ts';

const folder = join(import.meta.dirname, '../screenshots');

async function photograph(browser: Browser, world: World, scene: Scene): Promise<void> {
  const context = await browser.newContext({ locale: 'en', timezoneId: 'UTC' });
  const page = await context.newPage();
  const [first] = looks;
  if (first) await putOn(page, first);
  await scene.show(page, world);
  for (const look of looks) {
    await putOn(page, look);
    const name = `${scene.name}-${look.width}-${look.scheme}.png`;
    await page.screenshot({ path: join(folder, name), fullPage: true });
    process.stdout.write(`${name}\n`);
  }
  await context.close();
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
