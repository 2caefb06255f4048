import { createServer } from 'node:http';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { findChromium, hasChromium, launchBrowser } from './chromium.ts';

async function serve(html: string): Promise<string> {
  const server = createServer((_request, reply) => reply.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return `http://127.0.0.1:${address.port}/`;
}

function captureComplaints() {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  return () => write.mock.calls.map(([text]) => String(text)).join('');
}

describe.skipIf(!hasChromium())('with a browser', () => {
  test('the browser runs the script of a page that it fetched', async () => {
    const url = await serve('<p id=place></p><script>place.textContent = 6 * 7</script>');
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());

    const page = await browser.newPage();
    await page.goto(url);

    expect(await page.textContent('#place')).toBe('42');
  });

  test('two browsers share no cookies', async () => {
    const url = await serve('<script>document.cookie ||= "seen=1"</script>');
    const [one, other] = await Promise.all([launchBrowser(), launchBrowser()]);
    onTestFinished(() => Promise.all([one.close(), other.close()]).then(() => undefined));

    const context = await one.newContext();
    await (await context.newPage()).goto(url);
    const stranger = await other.newContext();
    await (await stranger.newPage()).goto('about:blank');

    expect((await context.cookies()).map(({ name }) => name)).toEqual(['seen']);
    expect(await stranger.cookies()).toEqual([]);
  });

  test('a browser that does not start is skipped, and the next one is used', async () => {
    const complaints = captureComplaints();

    const works = inject('chromiumPath');

    const found = await findChromium([async () => '/bin/false', async () => undefined, async () => works]);

    expect(complaints()).toContain('Chromium at /bin/false does not start');
    expect(found).toBe(works);
  });
});

test('without any Chromium one line says how to get it', async () => {
  const complaints = captureComplaints();

  const found = await findChromium([async () => undefined, () => Promise.reject(new Error('no network'))]);

  expect(found).toBeUndefined();
  expect(complaints().trim().split('\n')).toHaveLength(1);
  expect(complaints()).toContain('apt-get install chromium');
});
