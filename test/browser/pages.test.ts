import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedApp } from '../http/kit.ts';
import { hasChromium, launchBrowser } from '../kit/chromium.ts';
import { createWorld, looks, putOn, SCENE_SETTINGS, scenes, type World } from './scenes.ts';

/** Each scheme and each width is judged once: what a rule finds in the one does not depend on the other. */
const judgedLooks = looks.filter(({ width, scheme }) => (width === 360) === (scheme === 'light'));
const SMALLEST = { width: 320, height: 600, scheme: 'light' } as const;

/** What a page must not do: complain, break the content security policy, ask another host. */
function watch(context: BrowserContext, page: Page, url: string): { complaints: string[]; foreign: string[] } {
  const seen = { complaints: [] as string[], foreign: [] as string[] };
  page.on('console', (message) => {
    // A refusal is shown to the person; the browser notes its status as well.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) seen.complaints.push(message.text());
  });
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  context.on('request', (request) => {
    if (!request.url().startsWith(url)) seen.foreign.push(request.url());
  });
  return seen;
}

async function axeFindings(page: Page): Promise<unknown[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.skipIf(!hasChromium())('pages in a browser', () => {
  const app = sharedApp({ database: 'sqlite', settings: SCENE_SETTINGS });
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    browser = await launchBrowser();
    world = await createWorld(app());
  });
  afterAll(() => browser.close());

  test.each(scenes.map((scene) => [scene.name, scene] as const))(
    '%s: everybody can use it, on a phone and on a desk, in light and in dark',
    async (_name, scene) => {
      const context = await browser.newContext({ locale: 'en', reducedMotion: 'reduce' });
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      const seen = watch(context, page, app().url);
      await scene.show(page, world);

      for (const look of [...judgedLooks, SMALLEST]) {
        await putOn(page, look);
        expect(await overflow(page), `${look.width} pixels`).toBe(0);
        if (look !== SMALLEST) expect(await axeFindings(page), `${look.width} ${look.scheme}`).toEqual([]);
      }

      expect(seen).toEqual({ complaints: [], foreign: [] });
      await context.close();
    },
    60_000,
  );
});
