import { once } from 'node:events';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { serve } from '../../test/support/serve.ts';
import { readJsonObject, requestProvider } from './outgoing.ts';

// Signed by itself, for localhost; good for a hundred years, and for nothing but this test.
const cert = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUQbtpAOrACNf/n0eMSvCQR7wkhi8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODAzMjQwMloYDzIxMjYxMTA0
MDMyNDAyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASy9smpLeD67ytF2XUFXiLYrtiCn9FV2o9wu7fb3712mj57v44zNUUn
TXGI9JLadC1dbhjvAc0Ty5RpIT+MFR8Mo2kwZzAdBgNVHQ4EFgQUG1rqZ0hLwhZV
WtZlx8oHwhd7Y8cwHwYDVR0jBBgwFoAUG1rqZ0hLwhZVWtZlx8oHwhd7Y8cwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAM1Y4tO56guhxXaEcBXUNHzyoNoaoMkCm9h2KA5ahDGHAiEAgeAukpID
2vo/Ov/ZeEygQ1SExZ0OBlq70JwCZ8pQGi4=
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgK7q6rYZYQscwUfsx
wUX7f4lv8AMl9QdxLjFjRs3faq+hRANCAASy9smpLeD67ytF2XUFXiLYrtiCn9FV
2o9wu7fb3712mj57v44zNUUnTXGI9JLadC1dbhjvAc0Ty5RpIT+MFR8M
-----END PRIVATE KEY-----
`;

test('a host whose certificate nobody vouches for is not asked', async (t) => {
  const asked: string[] = [];
  const server = createServer({ cert, key }, (request, reply) => {
    asked.push(request.url ?? '');
    reply.end('{}');
  }).listen(0, '127.0.0.1');
  t.onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const asking = requestProvider(`https://localhost:${port}/token`, { method: 'POST', body: 'secret' });

  await expect(asking).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
  expect(asked).toEqual([]);
});

test('an answer that unpacks to more than 256 KiB is not read to its end', async (t) => {
  const url = await serve(t, (_request, reply) => {
    reply.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(20_000_000, ' ')));
  });

  await expect(requestProvider(url)).rejects.toMatchObject({ code: 'PROVIDER_ANSWER_INVALID' });
});

test('an answer in several parts is put together, with what it has of other scripts', async (t) => {
  const bytes = Buffer.from('{"name":"Zoë"}');
  const url = await serve(t, (_request, reply) => {
    reply.write(bytes.subarray(0, 12));
    setTimeout(() => reply.end(bytes.subarray(12)), 30);
  });

  expect(await readJsonObject(await requestProvider(url))).toEqual({ name: 'Zoë' });
});

test('nobody who listens, and an answer that breaks off, are out of reach', async (t) => {
  const url = await serve(t, (_request, reply) => {
    reply.writeHead(200, { 'content-length': 100 });
    reply.write('half', () => reply.destroy());
  });

  await expect(requestProvider('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
  await expect(requestProvider(url)).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
});
