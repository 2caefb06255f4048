import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from './device.ts';

let running: Server | undefined;

/** Starts a server that runs until the test ends. Returns its URL. */
async function listen(server: Server, scheme: 'http' | 'https'): Promise<string> {
  running = server.listen(0, '127.0.0.1');
  onTestFinished(close);
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  return `${scheme}://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const close = () => new Promise<void>((closed) => running?.close(() => closed()) ?? closed());

const serve = (answer: RequestListener) => listen(createServer(answer), 'http');

test('an endless reply is rejected, because authsvc never sends one', async () => {
  const server = await serve((_request, response) => {
    const more = () => {
      while (response.writable && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });

  await expect(createClient({ server }).verifyToken('tok_x')).rejects.toMatchObject({ reason: 'unexpected' });
});

test('a redirect is not followed, so no other server gets the token, and the message names the target of the redirect', async () => {
  const met: string[] = [];
  const server = await serve((request, response) => {
    met.push(String(request.url));
    response.writeHead(307, { location: 'https://auth.example.test/api/tokens/revoke' }).end();
  });

  const failure = await createClient({ server }).revokeToken('tok_x').catch(String);

  expect(failure).toBe(
    `ClientError: ${server} redirects to https://auth.example.test. If that is the address of authsvc, use it instead.`,
  );
  expect(met).toEqual(['/api/tokens/revoke']);
});

describe('a failure to reach the server is reported in a sentence', () => {
  const failureOf = (server: string) => createClient({ server }).verifyToken('abc').catch(String);

  test('nothing listens at the port', async () => {
    const address = await listen(createTcpServer(), 'http');
    await close();

    expect(await failureOf(address)).toBe(
      `ClientError: ${address} cannot be reached: nothing listens at this address and port.`,
    );
  });

  test('the address begins with https, but the server speaks http', async () => {
    const address = (await serve((_request, response) => response.end('x'))).replace('http:', 'https:');

    expect(await failureOf(address)).toContain(
      'it does not speak TLS. If it uses plain http, write an address that begins with http://',
    );
  });

  test('the server does not speak http', async () => {
    const address = await listen(
      createTcpServer((socket) => socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n')),
      'http',
    );

    expect(await failureOf(address)).toContain(
      'it does not speak http. If it uses https, write an address that begins with https://',
    );
  });

  test.each(['gzip', 'br'])('the header says that the body is compressed with %s, but it is not', async (packing) => {
    const address = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': packing }).end('{"tokenValid":false}');
    });

    expect(await failureOf(address)).toContain('cannot be reached: its answer is not compressed as its headers say.');
  });

  test('fetch refuses the port', async () => {
    expect(await failureOf('http://127.0.0.1:6000')).toContain('fetch refuses this port');
  });

  test('the server closes the connection', async () => {
    const address = await listen(
      createTcpServer((socket) => socket.destroy()),
      'http',
    );

    expect(await failureOf(address)).toContain('the connection was closed before an answer came.');
  });

  test.each([
    ['ENOTFOUND', 'no host has this name'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['CERT_HAS_EXPIRED', 'its certificate has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host name'],
  ])('%s', async (code, words) => {
    const fail = async () => {
      throw new TypeError('fetch failed', { cause: new AggregateError([Object.assign(new Error('raw'), { code })]) });
    };
    const failure = await createClient({ server: 'https://auth.example.test', fetch: fail })
      .verifyToken('abc')
      .catch(String);

    expect(failure).toContain(words);
    expect(failure).not.toContain('raw');
  });
});
