import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { eachDatabase } from '../support/each-database.ts';
import { MAIN_SECRET, PASSWORD, startApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser } from '../support/totp.ts';
import { expectError } from './support.ts';

eachDatabase('odd requests', (database) => {
  test('nonsensical paths are not found, and do not appear in the log', async (t) => {
    const app = await startApp(t, { database });
    const long = 'x'.repeat(5000);

    for (const path of [
      `/authsvc/cli/device/${long}`,
      '/authsvc/assets/../../main.js',
      '/authsvc/assets/%2e%2e/main.js',
    ]) {
      expect([path.slice(0, 40), (await app.client().get(path)).status]).toEqual([path.slice(0, 40), 404]);
    }
    expect(JSON.stringify(app.log())).not.toContain(long);
    expect(app.log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('an unknown path is reported before the method and the body are checked', async (t) => {
    const app = await startApp(t, { database });
    const bodies = [
      { type: 'text/plain', raw: 'abc' },
      { type: 'application/json', raw: '{bad' },
      { type: 'application/json', raw: `"${'x'.repeat(70_000)}"` },
      { type: 'application/json', raw: '{}', headers: { 'content-encoding': 'gzip' } },
    ];

    for (const body of bodies) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        expectError(await app.client().request(method, '/nothing-here', body), 'NOT_FOUND');
      }
    }
    expectError(await app.client().request('PUT', '/authsvc/api/login', bodies[0]), 'METHOD_NOT_ALLOWED');
  });

  test('a route that takes no body replies without waiting for the body that the client sends', async (t) => {
    const app = await startApp(t, { database });
    const socket = connect(app.port, '127.0.0.1');
    t.onTestFinished(() => void socket.destroy());
    const head = ['POST /authsvc/api/logout-all HTTP/1.1', 'Host: localhost', 'Content-Length: 1000'];

    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    const [chunk]: unknown[] = await once(socket, 'data');

    expect(String(chunk)).toContain('HTTP/1.1 200 OK');
  });

  test('an empty body with the type JSON is refused if the route reads a body', async (t) => {
    const app = await startApp(t, { database });

    expectError(await app.client().request('POST', '/authsvc/api/login', { raw: '' }), 'BODY_INVALID');
  });

  test('malformed credentials are refused before a wrong CSRF token', async (t) => {
    const app = await startApp(t, { database });
    const login = (body: object) => app.client().post('/authsvc/api/login', { _csrf: 'wrong', ...body });

    expectError(await login({ username: 'a', password: 'short' }), 'PASSWORD_TOO_SHORT');
    expectError(await login({ username: ' ', password: PASSWORD }), 'CREDENTIALS_REQUIRED');
    expectError(await login({ username: 'a', password: PASSWORD }), 'CSRF_INVALID');
  });

  test('ending all sessions also ends unfinished sign-ins and the list of accounts', async (t) => {
    const app = await startApp(t, { database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const _csrf = await client.csrf('/authsvc/2fa');

    const copy = client.clone();

    const reply = await client.post('/authsvc/api/terminateAllSessions', undefined, {
      headers: { authorization: MAIN_SECRET },
    });

    expect(reply.cookies.map(({ name, isCleared }) => [name.split('.')[0], isCleared])).toEqual([
      ['second_step', true],
    ]);
    const late = await copy.post('/authsvc/api/verify-2fa', { token: codeOf(app, carol.secret), _csrf });
    expectError(late, 'FIRST_STEP_REQUIRED');
  });
});
