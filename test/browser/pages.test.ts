import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
import { startApp } from '../support/start-app.ts';
import { createWorld, looks, putOn, SCENE_SETTINGS, type Scene, scenes, type World } from './scenes.ts';
import { expectAccessible, expectNoSidewaysScrolling, isComplaint } from './support.ts';

// On a busy machine, a browser is slow.
vi.setConfig({ testTimeout: 120_000 });

/**
 * Two looks, which together cover each colour scheme and each width once. That is enough, because problems with colours
 * do not depend on the width, and problems with the layout do not depend on the colours.
 */
const judgedLooks = looks.filter(({ width, scheme }) => (width === 360) === (scheme === 'light'));
const SMALLEST = { width: 320, height: 600, scheme: 'light' } as const;

/**
 * Finds words that are broken although no break is marked in them: their letters are on more than one line. Codes may
 * break anywhere, and names at their marked breaks. Hyphenation is turned off, because a hyphen at a line end is correct.
 */
const BROKEN_WORDS = `(() => {
  document.querySelectorAll('h1, p').forEach((element) => { element.style.hyphens = 'manual'; });
  const broken = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent.checkVisibility() || parent.closest('code, pre, .sr-only')) continue;
    for (const word of node.data.matchAll(/[^\\s-]+/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
})()`;

/** Finds fields whose placeholder does not fit, measured in the field's own font. */
const CUT_EXAMPLES = `[...document.querySelectorAll('input[placeholder]')].filter((field) => {
  const style = getComputedStyle(field);
  const ruler = document.createElement('canvas').getContext('2d');
  ruler.font = style.font;
  ruler.letterSpacing = style.letterSpacing;
  const room = field.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
  return field.checkVisibility() && ruler.measureText(field.placeholder).width > room;
}).map((field) => field.placeholder)`;

/** Finds selects whose longest option does not fit. */
const CUT_CHOICES = `[...document.querySelectorAll('select')].filter((field) => {
  const style = getComputedStyle(field);
  const ruler = document.createElement('canvas').getContext('2d');
  ruler.font = style.font;
  ruler.letterSpacing = style.letterSpacing;
  const room = field.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
  return field.checkVisibility() && ruler.measureText(field.selectedOptions[0]?.text ?? '').width > room;
}).map((field) => field.selectedOptions[0].text)`;

/** Finds table cells whose content does not fit. */
const CROWDED_CELLS = `[...document.querySelectorAll('.table :is(th, td)')].filter((cell) => {
  return cell.checkVisibility() && cell.scrollWidth > cell.clientWidth;
}).map((cell) => cell.textContent.trim())`;

/** Finds buttons in tables whose label takes more than one line. */
const BROKEN_LABELS = `[...document.querySelectorAll('.table .button-label')].filter((label) => {
  return label.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(label).lineHeight);
}).map((label) => label.textContent)`;

/** Finds tables that must be scrolled sideways to be seen completely. */
const CUT_TABLES = `[...document.querySelectorAll('.table')].filter((table) => {
  return table.checkVisibility() && table.parentElement.scrollWidth > table.parentElement.clientWidth;
}).map((table) => table.textContent.trim().slice(0, 40))`;

/** Finds dates that are on two lines although they would fit on one. */
const BROKEN_DATES = `(() => {
  const broken = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest('code, pre') || !node.parentElement.checkVisibility()) continue;
    for (const date of node.data.matchAll(/\\d{4}-\\d{2}-\\d{2}/g)) {
      range.setStart(node, date.index);
      range.setEnd(node, date.index + date[0].length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(date[0]);
    }
  }
  return broken;
})()`;

/** Finds elements that are wider than the card that contains them. */
const STICKING_OUT = `[...document.querySelectorAll('.card *')].filter((element) => {
  const card = element.closest('.navigation') ? null : element.parentElement.closest('.card')?.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return card && box.width > 0 && element.checkVisibility() && (box.left < card.left - 1 || box.right > card.right + 1);
}).map((element) => element.outerHTML.slice(0, 120))`;

/**
 * Records everything that a page must not do: write errors to the console, violate the content security policy, or send
 * requests to another host.
 */
function watch(context: BrowserContext, page: Page, url: string): { complaints: string[]; foreign: string[] } {
  const seen = { complaints: [] as string[], foreign: [] as string[] };
  page.on('console', (message) => {
    // The page shows the error to the person. The browser's own line about the status is not a fault.
    const isRefusal = /^Failed to load resource: the server responded with a status of [45]/.test(message.text());
    if (isComplaint(message) && !isRefusal) seen.complaints.push(message.text());
  });
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  context.on('request', (request) => {
    if (!request.url().startsWith(url)) seen.foreign.push(request.url());
  });
  return seen;
}

test('every scene has a different name', () => {
  const names = scenes.map(({ name }) => name);

  expect(names).toEqual([...new Set(names)]);
});

describe.skipIf(!hasChromium())('pages in a browser', () => {
  const app = sharedApp({ database: 'sqlite', settings: SCENE_SETTINGS });
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    browser = await launchBrowser();
    world = await createWorld(app());
  });
  afterAll(() => browser.close());

  async function show(scene: Scene, locale: string) {
    const context = await browser.newContext({ locale, reducedMotion: 'reduce' });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const seen = watch(context, page, app().url);
    await scene.show(page, world);
    return { page, seen, context };
  }

  const judgedFromInside = scenes.filter(({ isScriptless }) => !isScriptless);
  test.each(judgedFromInside.map((scene) => [scene.name, scene] as const))(
    '%s is usable for everyone, on a phone and on a desktop, in light and in dark',
    async (_name, scene) => {
      const { page, seen, context } = await show(scene, 'en');

      for (const look of judgedLooks) {
        await putOn(page, look);
        await expectNoSidewaysScrolling(page);
        expect(await page.evaluate(CROWDED_CELLS)).toEqual([]);
        expect(await page.evaluate(CUT_TABLES)).toEqual([]);
        expect(await page.evaluate(BROKEN_LABELS)).toEqual([]);
        expect(await page.evaluate(BROKEN_DATES)).toEqual([]);
        // On a phone, rows extend beyond the edge of a card, but the edge is invisible there.
        if (look.width > 360) expect(await page.evaluate(STICKING_OUT)).toEqual([]);
        await expectAccessible(page, look === judgedLooks[0] ? 'all' : 'of looks');
      }

      expect(seen).toEqual({ complaints: [], foreign: [] });
      await context.close();
    },
  );

  test.each(scenes.map((scene) => [scene.name, scene] as const))(
    'in German, %s has no broken or cut words and no sideways scrolling on the smallest phone, and no cut tables on a desktop',
    async (_name, scene) => {
      const { page, context } = await show(scene, 'de');

      await putOn(page, SMALLEST);

      expect(await page.getAttribute('html', 'lang')).toBe('de');
      // A script marks where names may break.
      if (!scene.isScriptless) expect(await page.evaluate(BROKEN_WORDS)).toEqual([]);
      expect(await page.evaluate(CUT_EXAMPLES)).toEqual([]);
      expect(await page.evaluate(CUT_CHOICES)).toEqual([]);
      await expectNoSidewaysScrolling(page);
      // In tables on a desktop, German words need the most room.
      await putOn(page, { width: 1280, height: 900, scheme: 'light' });
      expect(await page.evaluate(CUT_TABLES)).toEqual([]);
      await context.close();
    },
  );

  test.for(['/authsvc/login', '/authsvc/info', '/authsvc/nowhere'])(
    'a name that is one long word does not make %s wider than a small phone',
    async (path, t) => {
      const long = await startApp(t, { database: 'sqlite', settings: { APP_NAME: 'W'.repeat(64) } });
      const context = await browser.newContext();
      t.onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.goto(long.url + path);

      await putOn(page, SMALLEST);

      await expectNoSidewaysScrolling(page);
    },
  );
});
