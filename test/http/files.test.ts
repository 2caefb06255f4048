import { describe, expect, test } from 'vitest';
import { sharedApp } from './support.ts';

const files = [
  ['/authsvc/main.js', 'application/javascript; charset=utf-8'],
  ['/authsvc/bg.webp', 'image/webp'],
  ['/icon.svg', 'image/svg+xml; charset=utf-8'],
  ['/icon.png', 'image/png'],
  ['/favicon.ico', 'image/vnd.microsoft.icon'],
] as const;

describe('files with a fixed URL', () => {
  const app = sharedApp({ database: 'sqlite' });

  test.each(files)(
    '%s has its media type, is cached for a year, and has every security header and no cookie',
    async (path, type) => {
      const { status, headers, cookies, text } = await app().client().get(path);

      expect(status).toBe(200);
      expect(text.length).toBeGreaterThan(100);
      expect(headers['content-type']).toBe(type);
      expect(headers['cache-control']).toBe('public, max-age=31536000');
      expect(cookies).toEqual([]);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  test.each(files)('%s is not sent again to a client that has it', async (path) => {
    const client = app().client();
    const { headers } = await client.get(path);
    const etag = String(headers.etag);

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await client.get(path, { headers: { 'if-none-match': known } });
      expect([again.status, again.text]).toEqual([304, '']);
      expect(again.headers['cache-control']).toBe('public, max-age=31536000');
      expect(again.headers['x-content-type-options']).toBe('nosniff');
    }
    expect((await client.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test.each(files)('HEAD %s has the same headers without the content', async (path, type) => {
    const [get, head] = [await app().client().get(path), await app().client().request('HEAD', path)];

    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-type']).toBe(type);
    expect(head.headers.etag).toBe(get.headers.etag);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('the background picture is small', async () => {
    const { headers } = await app().client().get('/authsvc/bg.webp');

    expect(Number(headers['content-length'])).toBeLessThan(60_000);
  });

  test('are not counted by any rate limit', async () => {
    const client = app().client();
    for (let i = 0; i < 30; i += 1) {
      expect((await client.get('/authsvc/main.js', { address: '10.1.1.1' })).status).toBe(200);
    }
  });

  test.each([
    '/authsvc/main.css',
    '/authsvc/main.js.map',
    '/authsvc/main.d.ts',
    '/authsvc/MAIN.JS',
    '/authsvc/icon.svg',
    '/bg.webp',
    '/icon.svg/x',
    '/icon.svg%00',
    '/background.svg',
    '/authsvc/..%2fpackage.json',
    '/authsvc/assets/manifest.json',
    '/authsvc/assets/..%2f..%2f..%2fpackage.json',
    '/authsvc/assets/..%2fpublic%2fmain.js',
  ])('%s gets 404', async (path) => {
    const { status, text } = await app().client().get(path);

    expect(status).toBe(404);
    expect(text).not.toContain('dependencies');
  });

  test('a page of another version gets the current file, and must not cache it', async () => {
    const client = app().client();
    const { text } = await client.page('/authsvc/login');
    const [address = ''] = /\/authsvc\/assets\/app\.[^"]+/.exec(text) ?? [];
    const [own, other] = [await client.get(address), await client.get('/authsvc/assets/app.00000000.css')];

    expect([other.status, other.text]).toEqual([200, own.text]);
    expect(other.headers['cache-control']).toBe('no-store');
    for (const name of ['app.css', 'app.0000.css', 'none.00000000.css', '__proto__', '__proto__.00000000.css']) {
      expect((await client.get(`/authsvc/assets/${name}`)).status, name).toBe(404);
    }
  });

  test('pages load style, script and icons under names that change with their content', async () => {
    const client = app().client();
    const { text } = await client.page('/authsvc/login');
    const links = [...text.matchAll(/<(?:link|script)\b[^>]*(?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? '');

    expect(links.length).toBeGreaterThanOrEqual(5);
    for (const link of links) {
      expect(link).toMatch(/^\/authsvc\/assets\/[\w-]+\.[\w-]{8}\.(css|js|svg|png|ico)$/);
      const { status, headers } = await client.get(link);
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  });
});
