import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../support/chromium.ts';

/** The context of a test. When the test ends, it closes the page. */
interface Owner {
  onTestFinished(stop: () => Promise<void>): void;
}

/** A page in a new browser, and everything that went wrong on it. */
export interface Visit {
  page: Page;
  /**
   * Checks that no script has thrown an error, that the console has no errors or warnings (violations of the content
   * security policy appear there), and that no request went to another host. `expected` are messages that the test itself
   * causes.
   */
  expectQuiet(expected?: readonly RegExp[]): void;
}

interface VisitOptions
  extends Pick<BrowserContextOptions, 'colorScheme' | 'locale' | 'timezoneId' | 'viewport' | 'javaScriptEnabled'> {
  /** The URL of the service, without a final slash. */
  url: string;
}

/**
 * Returns whether a console message is a fault of the page.
 *
 * The driver of the browser evaluates its own code in the page, which the content security policy forbids, and which
 * fails if the page is left at that moment. If a script of the page evaluated code, it would throw, and `pageerror` would
 * report it.
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
    // A page that is left while it is loading cancels its requests.
    if (reason !== 'net::ERR_ABORTED') noises.push(`failed: ${request.url()} ${reason}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.host !== host && url.protocol !== 'data:') noises.push(`foreign: ${request.url()}`);
  });
  return noises;
}

/** Starts one browser for all tests of a file. Each visit has its own profile. */
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

/** The axe rules whose result can depend on the colours or the width of a page. */
const RULES_OF_LOOKS = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

/** Checks a page with axe. It must not violate any rule or, with `of looks`, any rule that depends on the look. */
export async function expectAccessible(page: Page, rules: 'all' | 'of looks' = 'all'): Promise<void> {
  const builder = new AxeBuilder({ page });
  const { violations } = await (rules === 'all' ? builder : builder.withRules(RULES_OF_LOOKS)).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Checks that a page cannot be scrolled sideways. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const { scrollWidth: content, clientWidth: window } = await page.evaluate<{
    scrollWidth: number;
    clientWidth: number;
  }>('(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)');
  expect(content).toBeLessThanOrEqual(window);
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname;
