import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../support/chromium.ts';

/** Who closes a page: the context of a test. */
interface Owner {
  onTestFinished(stop: () => Promise<void>): void;
}

/** A page of a person who has never been here, and what went wrong on it. */
export interface Visit {
  page: Page;
  /**
   * Checks that the page was quiet: no error of a script, no complaint on the console (where the browser tells what
   * the policy blocked), no request to another host. `expected` are complaints that belong to the test.
   */
  expectQuiet(expected?: readonly RegExp[]): void;
}

interface VisitOptions
  extends Pick<BrowserContextOptions, 'colorScheme' | 'locale' | 'viewport' | 'javaScriptEnabled'> {
  /** The address of the service, without a final slash. */
  url: string;
}

/**
 * Whether the browser complains of a page.
 *
 * Its driver evaluates its own code, and fails when the page goes away meanwhile. A script of the page that did so
 * would throw, and be heard of by `pageerror`.
 */
export function isComplaint(message: ConsoleMessage): boolean {
  const isOfDriver = message.text().startsWith('Evaluating a string as JavaScript violates');
  return ['error', 'warning'].includes(message.type()) && !isOfDriver;
}

function listen(page: Page, host: string): string[] {
  const noises: string[] = [];
  page.on('pageerror', (error) => noises.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (isComplaint(message)) noises.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A page that is left in the middle stops what it was still loading.
    if (reason !== 'net::ERR_ABORTED') noises.push(`failed: ${request.url()} ${reason}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.host !== host && url.protocol !== 'data:') noises.push(`foreign: ${request.url()}`);
  });
  return noises;
}

/** One browser for the tests of a file; each visit has its own profile. */
export function sharedBrowser() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  return {
    visit: async (t: Owner, { url, locale = 'en', ...options }: VisitOptions): Promise<Visit> => {
      if (!browser) throw new Error('the browser is there only while a test runs');
      const context = await browser.newContext({ baseURL: url, locale, ...options });
      context.setDefaultTimeout(20_000);
      t.onTestFinished(() => context.close());
      const page = await context.newPage();
      const noises = listen(page, new URL(url).host);
      const expectQuiet = (expected: readonly RegExp[] = []) => {
        expect(noises.filter((noise) => !expected.some((pattern) => pattern.test(noise)))).toEqual([]);
      };
      return { page, expectQuiet };
    },
  };
}

/** The rules whose verdict can differ with the colours or the width of a page. */
const RULES_OF_LOOKS = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

/** Checks a page by axe: no violation of any of its rules, or of those only that depend on its look. */
export async function expectAccessible(page: Page, rules: 'all' | 'of looks' = 'all'): Promise<void> {
  const builder = new AxeBuilder({ page });
  const { violations } = await (rules === 'all' ? builder : builder.withRules(RULES_OF_LOOKS)).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Checks that nothing sticks out at the side. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const { scrollWidth: content, clientWidth: window } = await page.evaluate<{
    scrollWidth: number;
    clientWidth: number;
  }>('(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)');
  expect(content).toBeLessThanOrEqual(window);
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname;
