import { once } from 'node:events';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { certificate } from '../../test/support/certificate.ts';
import { serve } from '../../test/support/serve.ts';
import { AppError } from '../errors/app-error.ts';
import { type Endpoint, readJsonObject, requestProvider } from './outgoing.ts';

const endpointAt = (url: string): Endpoint => ({ url, name: 'token endpoint', setting: 'FORGE_TOKEN_URL' });

/** Returns the URL of a server that has been stopped, so that connections to it fail. */
async function closedAddress(): Promise<string> {
  const stops: (() => Promise<void>)[] = [];
  const url = await serve({ onTestFinished: (stop) => void stops.push(stop) }, (_request, reply) => reply.end());
  for (const stop of stops) await stop();
  return url;
}

/** Returns the error code of a failed request, and the sentence that the log gets. */
async function refusalOf(url: string): Promise<{ code: string; words: string }> {
  const error = await requestProvider(endpointAt(url)).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError) || !(error.cause instanceof Error)) throw new Error('it was not refused');
  return { code: error.code, words: error.cause.message };
}

test('a host with an untrusted certificate gets no request, and the log says how to trust it', async (t) => {
  const asked: string[] = [];
  const server = createServer(certificate, (request, reply) => {
    asked.push(request.url ?? '');
    reply.end('{}');
  }).listen(0, '127.0.0.1');
  t.onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const refusal = await refusalOf(`https://localhost:${port}/token?key=value`);

  expect(refusal.code).toBe('PROVIDER_MISCONFIGURED');
  expect(refusal.words).toContain(
    `the token endpoint https://localhost:${port}/token (FORGE_TOKEN_URL) cannot be reached`,
  );
  expect(refusal.words).toContain('NODE_EXTRA_CA_CERTS');
  expect(asked).toEqual([]);
});

test('a URL without TLS is reported as a fault of the settings', async (t) => {
  const url = await serve(t, (_request, reply) => reply.end('{}'));

  const refusal = await refusalOf(url.replace('http:', 'https:'));

  expect(refusal.code).toBe('PROVIDER_MISCONFIGURED');
  expect(refusal.words).toContain('it does not speak TLS at this port');
});

test('a compressed reply of more than 256 KiB is not read to its end', async (t) => {
  const packed = gzipSync(Buffer.alloc(2_000_000, ' '));
  const url = await serve(t, (_request, reply) => {
    reply.setHeader('content-encoding', 'gzip').end(packed);
  });

  expect(await refusalOf(url)).toEqual({
    code: 'PROVIDER_ANSWER_INVALID',
    words: expect.stringContaining('answered more than 256 KiB'),
  });
});

test('a reply whose header names a compression that the body does not have is reported in words', async (t) => {
  const url = await serve(t, (_request, reply) => {
    reply.setHeader('content-encoding', 'gzip').end('{}');
  });

  expect(await refusalOf(url)).toEqual({
    code: 'PROVIDER_UNREACHABLE',
    words: expect.stringContaining('its answer is not compressed as its headers say (Z_'),
  });
});

test('a reply in several chunks is decoded correctly, even if a character is split between them', async (t) => {
  const bytes = Buffer.from('{"name":"Zoë"}');
  const url = await serve(t, (_request, reply) => {
    reply.write(bytes.subarray(0, 12), () => reply.end(bytes.subarray(12)));
  });

  expect(await readJsonObject(await requestProvider(endpointAt(url)), endpointAt(url))).toEqual({ name: 'Zoë' });
});

test('fields of a reply that are null are removed', async (t) => {
  const url = await serve(t, (_request, reply) => reply.end('{"a":null,"b":0,"c":"","d":{"e":null}}'));

  const fields = await readJsonObject(await requestProvider(endpointAt(url)), endpointAt(url));

  expect(fields).toEqual({ b: 0, c: '', d: { e: null } });
});

test('a URL where nothing listens, and a reply that breaks off, are reported as unreachable', async (t) => {
  const url = await serve(t, (_request, reply) => {
    reply.writeHead(200, { 'content-length': 100 });
    reply.write('half', () => reply.destroy());
  });

  expect(await refusalOf(await closedAddress())).toEqual({
    code: 'PROVIDER_UNREACHABLE',
    words: expect.stringContaining('nothing listens there (ECONNREFUSED)'),
  });
  expect(await refusalOf(url)).toEqual({
    code: 'PROVIDER_UNREACHABLE',
    words: expect.stringContaining('the connection broke off'),
  });
});

test.each([
  [429, 'PROVIDER_UNREACHABLE'],
  [500, 'PROVIDER_UNREACHABLE'],
  [503, 'PROVIDER_UNREACHABLE'],
  [404, 'PROVIDER_MISCONFIGURED'],
  [405, 'PROVIDER_MISCONFIGURED'],
  [410, 'PROVIDER_MISCONFIGURED'],
  [301, 'PROVIDER_MISCONFIGURED'],
  [308, 'PROVIDER_MISCONFIGURED'],
  [204, 'PROVIDER_ANSWER_INVALID'],
])('a reply with status %d is reported as %s', async (status, code) => {
  const stops: (() => Promise<void>)[] = [];
  const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.push(stop) };
  const url = await serve(owner, (_request, reply) => {
    reply.writeHead(status, { location: 'https://elsewhere.example/path?token=secret' }).end();
  });

  const refusal = await refusalOf(url);
  for (const stop of stops) await stop();

  expect(refusal).toEqual({ code, words: expect.stringContaining(`answered ${status}`) });
  if (status > 300 && status < 400) expect(refusal.words).toContain('redirects to "https://elsewhere.example/path";');
});
