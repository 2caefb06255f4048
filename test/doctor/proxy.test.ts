import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test, vi } from 'vitest';
import type { Owner } from '../lifecycle/support.ts';
import { certificate } from '../support/certificate.ts';
import { freePort } from '../support/postgres.ts';
import { runDoctor, start } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

const NGINX = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(existsSync);
if (!NGINX) process.stderr.write('nginx is not installed, its tests are left out: apt-get install nginx-light\n');

const HOST = 'proxy_set_header Host $http_host;';
const PROTO = 'proxy_set_header X-Forwarded-Proto $scheme;';
const FOR = 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;';

interface Proxy {
  port: number;
  /** The file with the certificate of the proxy. */
  authority: string;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Starts a real nginx with TLS. It forwards requests to a port with these headers. */
async function startNginx(t: Owner, port: number, to: number, headers: readonly string[]): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-nginx-'));
  const authority = join(folder, 'cert.pem');
  await writeFile(authority, certificate.cert);
  await writeFile(join(folder, 'key.pem'), certificate.key);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  const lines = [
    'daemon off;',
    `pid ${folder}/pid;`,
    'error_log stderr;',
    'events {}',
    'http {',
    'access_log off;',
    ...places,
    'server {',
    `listen 127.0.0.1:${port} ssl;`,
    `ssl_certificate ${authority};`,
    `ssl_certificate_key ${folder}/key.pem;`,
    'location / {',
    ...headers,
    `proxy_pass http://127.0.0.1:${to};`,
    '} } }',
  ];
  await writeFile(join(folder, 'nginx.conf'), lines.join('\n'));
  const child = spawn(NGINX ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  t.onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    await rm(folder, { recursive: true });
  });
  await vi.waitUntil(() => isOpen(port), { timeout: 15_000 });
  return { port, authority };
}

/** Starts a deployed service behind nginx with these headers, and returns the report of the doctor. */
async function examine(t: Owner, headers: readonly string[], { trusted = 'loopback', trusts = true } = {}) {
  const port = await freePort();
  const url = `https://localhost:${port}`;
  const settings = {
    IS_DEPLOYED: 'true',
    BASE_URL: url,
    TRUST_PROXY: trusted,
    MAIN_SECRET_TOKEN: 'w6Zm1uQp8xTn4vRk9sLd',
  };
  const place = await start(t, 'sqlite', settings);
  const { authority } = await startNginx(t, port, place.port, headers);
  const extra: Record<string, string> = trusts ? { NODE_EXTRA_CA_CERTS: authority } : {};
  return runDoctor(t, { ...place, settings: { ...place.settings, ...extra } });
}

describe.skipIf(!NGINX)('behind nginx, the doctor', () => {
  test('finds no fault with the usual headers', async (t) => {
    const report = await examine(t, [HOST, PROTO, FOR]);

    expect(report.notOk).toEqual({
      'change-feed': 'skipped',
      providers: 'skipped',
      mail: 'skipped',
      webhooks: 'skipped',
    });
  });

  test('finds that the host is not forwarded', async (t) => {
    const report = await examine(t, [PROTO, FOR]);

    expect(report.notOk.proxy).toBe('failed');
    expect(report.wordsOf('proxy')).toMatch(
      /^The proxy loses the host: doctor sent the request to localhost:\d+, but it arrived for 127\.0\.0\.1:\d+\. .*proxy_set_header Host/,
    );
  });

  test('finds that the port is not forwarded', async (t) => {
    const report = await examine(t, ['proxy_set_header Host $host;', PROTO, FOR]);

    expect(report.notOk.proxy).toBe('failed');
    expect(report.wordsOf('proxy')).toMatch(
      /sent the request to localhost:\d+, but it arrived for localhost\. .*\$http_host/,
    );
  });

  test('finds that the protocol is not forwarded', async (t) => {
    const report = await examine(t, [HOST, FOR]);

    expect(report.notOk.proxy).toBe('failed');
    expect(report.wordsOf('proxy')).toMatch(
      /^The proxy loses the protocol: doctor sent the request by https, but it arrived as http\. .*X-Forwarded-Proto/,
    );
  });

  test('finds that the proxy forwards http as the protocol', async (t) => {
    const report = await examine(t, [HOST, FOR, 'proxy_set_header X-Forwarded-Proto http;']);

    expect(report.wordsOf('proxy')).toMatch(/by https, but it arrived as http\. .*X-Forwarded-Proto/);
  });

  test('finds a proxy that TRUST_PROXY does not name', async (t) => {
    const report = await examine(t, [HOST, PROTO, FOR], { trusted: 'false' });

    expect(report.notOk.proxy).toBe('failed');
    expect(report.wordsOf('proxy')).toMatch(/takes 127\.0\.0\.1.*Add 127\.0\.0\.1.* to TRUST_PROXY/);
  });

  test('finds one of several proxies that TRUST_PROXY does not name', async (t) => {
    const headers = [HOST, PROTO, 'proxy_set_header X-Forwarded-For "198.51.100.7, 203.0.113.9";'];

    const report = await examine(t, headers);

    expect(report.notOk.proxy).toBe('failed');
    expect(report.wordsOf('proxy')).toMatch(/takes 203\.0\.113\.9.*Add 203\.0\.113\.9/);
  });

  test('warns about a proxy that forwards headers of clients unchecked', async (t) => {
    const claimed = [HOST, PROTO, 'proxy_bind 127.0.0.2;'];

    const forged = await examine(t, claimed, { trusted: '127.0.0.2' });
    const replaced = await examine(t, [...claimed, 'proxy_set_header X-Forwarded-For $remote_addr;'], {
      trusted: '127.0.0.2',
    });

    expect(forged.notOk.proxy).toBe('warning');
    expect(forged.wordsOf('proxy')).toMatch(/forged, although TRUST_PROXY does not name 127\.0\.0\.1\./);
    expect(replaced.notOk).not.toHaveProperty('proxy');
  });

  test('finds an untrusted certificate', async (t) => {
    const report = await examine(t, [HOST, PROTO, FOR], { trusts: false });

    expect(report.notOk).toMatchObject({ 'base-url': 'failed', proxy: 'skipped' });
    expect(report.wordsOf('base-url')).toMatch(/certificate is not trusted.*Install a certificate/);
  });

  test('distinguishes a proxy that does not reach the service from another program', async (t) => {
    const nowhere = await freePort();
    const bad = await examine(t, [HOST, 'return 502;']);
    const other = await examine(t, [HOST, "return 200 'hello';"]);
    const elsewhere = await examine(t, [HOST, `return 301 https://localhost:${nowhere}/x?secret=1;`]);

    expect(bad.wordsOf('base-url')).toMatch(/status 502.*does not reach the service/);
    expect(other.wordsOf('base-url')).toMatch(/status 200, so the reply is not from this service/);
    expect(elsewhere.wordsOf('base-url')).toMatch(new RegExp(`redirects to https://localhost:${nowhere}, so`));
  });
});
