import { expect, test } from 'vitest';
import { settingsTable } from '../../src/settings/table.ts';
import { eachDatabase } from '../support/each-database.ts';
import { MAIN_SECRET, startApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

const JSON_PATHS = ['/authsvc/info.json', '/authsvc/i.json'];
const PAGE_PATHS = ['/authsvc/info', '/authsvc/i'];

eachDatabase('service information', (database) => {
  const app = sharedApp({ database, settings: { APP_NAME: 'harbour' } });

  test.each(JSON_PATHS)('%s contains the version, the latest version and the public settings', async (path) => {
    const { status, body } = await app().client().get(path);

    expect(status).toBe(200);
    expect(body).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      latest_version: null,
      update_available: false,
      config: expect.objectContaining({
        APP_NAME: 'harbour',
        BASE_URL: app().services.baseUrl(),
        IS_DEPLOYED: false,
        UPDATE_CHECK: 'off',
      }),
    });
  });

  test.each(PAGE_PATHS)('%s shows the same information as a page', async (path) => {
    const { body } = await app().client().get('/authsvc/info.json');
    const { status, headers, text } = await app().client().page(path);

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain(String(body.version));
    expect(text).toContain('APP_NAME');
    expect(text).toContain(`>${app().services.baseUrl()}</dd>`);
    expect(text).toContain('>Not checked</dd>');
    expect(text).not.toContain('is available');
  });

  test('the four URLs share one limit of eight requests a minute', async () => {
    const address = '10.77.1.1';
    const client = app().client();
    for (const path of [...JSON_PATHS, ...PAGE_PATHS, ...JSON_PATHS, ...PAGE_PATHS]) {
      expect((await client.get(path, { address })).status).toBe(200);
    }

    expectError(await client.get('/authsvc/i.json', { address }), 'TOO_MANY_REQUESTS');
    const page = await client.page('/authsvc/info', { address });
    expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
  });
});

eachDatabase('service information of a service with secrets', (database) => {
  test('contains none of its secrets, whatever they are', async (t) => {
    const secrets = {
      SESSION_SECRET_KEY: 'the-session-secret-0123456789-abcdefgh',
      CODEHOST_APP_CLIENT_SECRET: 'the-codehost-secret',
      WEBSSO_CLIENT_SECRET: 'the-websso-secret',
    };
    const app = await startApp(t, { database, settings: { ...secrets, CODEHOST_APP_CLIENT_ID: 'the-codehost-id' } });
    const { services } = app;
    const hidden = [...Object.values(secrets), MAIN_SECRET, services.settings.DATABASE_URL, 'the-codehost-id'];

    const texts = [await app.client().get('/authsvc/info.json'), await app.client().page('/authsvc/info')];

    const isSecret = Object.entries(settingsTable).filter(([, row]) => 'secret' in row && row.secret);
    for (const { text } of texts) {
      for (const value of hidden) expect(text).not.toContain(value);
      for (const [key] of isSecret) expect(text).not.toContain(key);
    }
  });
});

eachDatabase('an update', (database) => {
  const app = sharedApp({ database });

  test('is shown when a newer version is known', async () => {
    app().services.latestVersion = { get: () => '999.1.0' };

    const { body } = await app().client().get('/authsvc/info.json');
    const { text } = await app().client().page('/authsvc/info');

    expect(body).toMatchObject({ latest_version: '999.1.0', update_available: true });
    expect(text).toContain('Version 999.1.0 is available');
  });

  test('is not shown if this is the newest version', async () => {
    const { body: before } = await app().client().get('/authsvc/info.json');
    app().services.latestVersion = { get: () => String(before.version) };

    const { body } = await app().client().get('/authsvc/info.json');
    const { text } = await app().client().page('/authsvc/info');

    expect(body).toMatchObject({ latest_version: before.version, update_available: false });
    expect(text).not.toContain('is available');
    expect(text).toContain('Up to date');
  });
});
