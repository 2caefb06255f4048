import { expect, test, vi } from 'vitest';
import { addApplication, type NewApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { getApplication } from '../../src/applications/find-application.ts';
import { findRegistry } from '../../src/applications/registry.ts';
import { removeApplication } from '../../src/applications/remove-application.ts';
import { rotateSecret } from '../../src/applications/rotate-secret.ts';
import { hashSecret } from '../../src/applications/secret.ts';
import { BOUND_MS } from '../../src/db/changes.ts';
import { AppError } from '../../src/errors/app-error.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const DEPLOYED = {
  IS_DEPLOYED: 'true',
  BASE_URL: 'https://auth.example.test',
};

eachDatabase('the registry of applications', (database) => {
  const app = sharedApp({ database, settings: { ROLES: 'editor' } });
  const rules = () => app().services.settings;
  let keys = 0;
  const add = (fields: Partial<NewApplication> = {}) => {
    keys += 1;
    return addApplication(app().change(), rules(), { key: `app-${keys}`, name: `App ${keys}`, ...fields });
  };
  const change = (key: string, fields: Parameters<typeof changeApplication>[3]) =>
    changeApplication(app().change(), rules(), key, fields);
  const eventsOf = (key: string) =>
    app()
      .log()
      .filter(({ audit, application }) => audit === 'application.changed' && application === key)
      .map(({ details }) => Object(details))
      .map((details) => [details.change, details.fields]);

  test('a new application is active, has a secret stored only as a hash, and has no values that were not given', async () => {
    const { application, secret = '' } = await add({ key: 'Big-Key', name: ' Portal ' });

    expect(secret).toMatch(/^acs_[0-9a-f]{64}$/);
    expect(application).toEqual({
      id: expect.any(Number),
      key: 'big-key',
      name: 'Portal',
      urls: [],
      redirectUris: [],
      postLogoutRedirectUris: [],
      roles: [],
      backchannelLogoutUri: null,
      icon: null,
      isPublic: false,
      isThirdParty: false,
      deviceFlow: false,
      idTokenAlg: 'RS256',
      pkceRequired: true,
      secrets: [{ hash: hashSecret(secret), expiresAt: null }],
      version: 1,
      createdAt: expect.any(Number),
      disabledAt: null,
    });
    expect(await getApplication(app().services.database, 'BIG-KEY')).toEqual(application);
    await expect(add({ key: 'BIG-KEY' })).rejects.toMatchObject({ code: 'APPLICATION_KEY_TAKEN' });
    expect(eventsOf('big-key')).toEqual([['created', ['name']]]);
    expect(JSON.stringify(app().log())).not.toContain(secret);
  });

  test('a change replaces the given fields, raises the version and records one event; without a difference it does nothing', async () => {
    const { application } = await add({
      urls: ['https://a.example.test', 'https://a.example.test'],
      roles: ['editor'],
    });
    const { key } = application;
    expect(application.urls).toEqual(['https://a.example.test']);

    const { application: changed } = await change(key, {
      urls: ['http://b.example.test/x?y'],
      icon: 'http://b.test/i',
    });
    await change(key, { urls: ['http://b.example.test/x?y'], isPublic: false, isActive: true, name: application.name });
    const { application: disabled } = await change(key, { isActive: false });
    const { application: emptied } = await change(key, { isActive: true, roles: [''], icon: '' });

    expect(changed).toMatchObject({ urls: ['http://b.example.test/x?y'], roles: ['editor'], version: 2 });
    expect(disabled).toMatchObject({ disabledAt: expect.any(Number), version: 3 });
    expect(emptied).toMatchObject({ disabledAt: null, roles: [], icon: null, version: 4 });
    expect(eventsOf(key).slice(1)).toEqual([
      ['updated', ['urls', 'icon']],
      ['disabled', ['is_active']],
      ['updated', ['roles', 'icon', 'is_active']],
    ]);
    expect((await change(key, {})).application).toMatchObject({ version: 4 });
    expect(await removeApplication(app().change(), key.toUpperCase())).toBe(key);
    for (const work of [
      () => change(key, { name: 'x' }),
      () => removeApplication(app().change(), key),
      () => rotateSecret(app().change(), key, 1),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' });
  });

  test('an application never has more than two secrets, and a public one has none', async () => {
    const { application, secret: first = '' } = await add();
    const { key } = application;
    const secrets = async () => (await getApplication(app().services.database, key)).secrets;
    const rotation = app().change();

    const second = await rotateSecret(rotation, key, 24);
    expect(second.oldSecretExpiresAt).toBe(rotation.now + 24 * HOUR_MS);
    expect(await secrets()).toEqual([
      { hash: hashSecret(second.secret), expiresAt: null },
      { hash: hashSecret(first), expiresAt: rotation.now + 24 * HOUR_MS },
    ]);
    const third = await rotateSecret(app().change(), key, 720);
    expect((await secrets()).map(({ hash }) => hash)).toEqual([third.secret, second.secret].map(hashSecret));
    const fourth = await rotateSecret(app().change(), key, 0);
    expect([fourth.oldSecretExpiresAt, await secrets()]).toEqual([
      null,
      [{ hash: hashSecret(fourth.secret), expiresAt: null }],
    ]);
    for (const hours of [-1, 721, 1.5, Number.NaN])
      await expect(rotateSecret(app().change(), key, hours)).rejects.toMatchObject({ code: 'FIELD_INVALID' });

    expect(await change(key, { isPublic: true })).toMatchObject({ application: { secrets: [] } });
    await expect(rotateSecret(app().change(), key, 1)).rejects.toMatchObject({ code: 'APPLICATION_PUBLIC' });
    const { secret = '' } = await change(key, { isPublic: false });
    expect(await secrets()).toEqual([{ hash: hashSecret(secret), expiresAt: null }]);
  });

  test.each<[string, Partial<NewApplication>]>([
    ...['a', '1abc', '-abc', 'a_b', 'a.b', 'a b', 'ä-b', '\u212aelvin', '', 'x'.repeat(65)].map(
      (key): [string, Partial<NewApplication>] => ['key', { key }],
    ),
    ...['', ' ', '\u200b', 'x'.repeat(256), 'a\nb'].map((name): [string, Partial<NewApplication>] => [
      'name',
      { name },
    ]),
    ...[
      'portal.example.test',
      '//portal.example.test',
      'ftp://portal.example.test',
      'javascript:alert(1)',
      'https://',
      'https:///path',
      'https:portal.example.test',
      'https:/portal.example.test',
      'https://*.example.test',
      'https://%2a.example.test',
      'https://portal.example.test/*',
      'https://@portal.example.test',
      'https://user@portal.example.test',
      'https://user:pw@portal.example.test',
      'https://portal.example.test/#part',
      'https://portal.example.test#',
      'https://portal.example.test:99999',
      'https://por tal.example.test',
      'https://portal.example.test\\@evil.example',
      'https://por\ttal.example.test',
      ' https://portal.example.test',
      `https://portal.example.test/${'x'.repeat(2048)}`,
    ].flatMap((url): [string, Partial<NewApplication>][] => [
      ['urls', { urls: ['https://fine.example.test', url] }],
      ['redirect_uris', { redirectUris: [url], isPublic: true }],
      [
        'backchannel_logout_uri',
        url.includes('*') ? { backchannelLogoutUri: 'data:,x' } : { backchannelLogoutUri: url },
      ],
    ]),
    ['redirect_uris', { redirectUris: ['com.example.app:/cb'] }],
    ['redirect_uris', { redirectUris: ['myapp:/cb'], isPublic: true }],
    ['redirect_uris', { redirectUris: ['com.example.app:/cb#x'], isPublic: true }],
    ['post_logout_redirect_uris', { postLogoutRedirectUris: ['data:text/html,x'], isPublic: true }],
    ['icon', { icon: 'file:///etc/passwd' }],
    ['roles', { roles: ['editor', 'no-such-role'] }],
    ['roles', { roles: Array.from({ length: 21 }, (_, at) => `r${at}`) }],
    ['urls', { urls: Array.from({ length: 21 }, (_, at) => `https://h${at}.example.test`) }],
  ])('%s: %j is refused, and nothing is added', async (field, fields) => {
    const { active } = await findRegistry(app().services);

    await expect(add(fields)).rejects.toMatchObject({ code: 'FIELD_INVALID', parameters: { field } });

    expect((await findRegistry(app().services)).active.size).toBe(active.size);
  });

  test('only public applications may have a private URI scheme, and having one prevents a change to confidential', async () => {
    const { application } = await add({ redirectUris: ['com.example.app:/cb', 'http://[::1]/cb'], isPublic: true });

    const work = change(application.key, { isPublic: false });

    await expect(work).rejects.toMatchObject({ code: 'FIELD_INVALID', parameters: { field: 'redirect_uris' } });
  });

  test('every change, also a new application, is visible to the next request, and in another process within two seconds', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const [here, there] = [await startApp(t, { database: fresh }), await startApp(t, { database: fresh })];
    const areAlive = () => [here, there].every(({ services }) => services.database.changes.areKnown());
    if (database === 'postgres') await vi.waitUntil(areAlive, { timeout: 20_000 });
    const nameBy = async ({ services }: typeof here) => (await findRegistry(services)).active.get('one')?.name;
    const expectName = async (name: string | undefined) => {
      expect(await nameBy(here)).toBe(name);
      await vi.waitUntil(async () => (await nameBy(there)) === name, { timeout: BOUND_MS, interval: 5 });
    };
    await expectName(undefined);

    const { settings } = here.services;
    await addApplication(here.change(), settings, {
      key: 'one',
      name: 'One',
      urls: ['https://ONE.example.test:443/x'],
    });
    await expectName('One');
    expect([...(await findRegistry(there.services)).byOrigin.keys()]).toEqual(['https://one.example.test']);
    await changeApplication(here.change(), settings, 'one', { name: 'Uno' });
    await expectName('Uno');
    await changeApplication(here.change(), settings, 'one', { isActive: false });
    await expectName(undefined);
    await changeApplication(here.change(), settings, 'one', { isActive: true });
    await expectName('Uno');
    await removeApplication(here.change(), 'one');
    await expectName(undefined);
  });
});

test('when deployed, URLs must be https except for loopback hosts, and icons must be https', async (t) => {
  const app = await startApp(t, { database: 'sqlite', settings: DEPLOYED });
  const refusal = async (fields: Partial<NewApplication>) => {
    const work = addApplication(app.change(), app.services.settings, { key: 'one', name: 'One', ...fields });
    const refused = await work.catch((error: unknown) => error);
    return refused instanceof AppError ? refused.parameters.field : undefined;
  };

  for (const host of ['portal.example.test', 'localhost.example.test', '127.0.0.1.example.test', '10.0.0.1'])
    expect([host, await refusal({ urls: [`http://${host}`] })]).toEqual([host, 'urls']);
  expect(await refusal({ icon: 'http://portal.example.test/i' })).toBe('icon');
  const loopback = ['http://localhost:3000', 'http://app.localhost', 'http://127.1.2.3:80', 'http://[::1]:8080'];
  expect(await refusal({ urls: loopback, icon: 'https://portal.example.test/i' })).toBeUndefined();
});

test.for([
  { scheme: 'http', settings: {}, isShown: true },
  { scheme: 'https', settings: {}, isShown: true },
  { scheme: 'http', settings: DEPLOYED, isShown: false },
  { scheme: 'https', settings: DEPLOYED, isShown: true },
])('an http icon is shown only if the service is not deployed: %o', async ({ scheme, settings, isShown }, t) => {
  const app = await startApp(t, { database: 'sqlite', settings });
  const portal = { key: 'portal', name: 'Portal', urls: ['https://portal.example.test'] };
  await addApplication(app.change(), app.services.settings, portal);
  const icon = `${scheme}://portal.example.test/icon.svg`;
  // An http icon can be left from the time before the service was deployed.
  await app.services.database.kysely.updateTable('applications').set({ icon }).execute();
  const client = await app.signIn(await app.seedUser({ apps: ['authsvc', 'portal'] }));

  const { text, headers } = await client.page('/authsvc/apps');

  const [, allowed = ''] = /img-src ([^;]*)/.exec(String(headers['content-security-policy'])) ?? [];
  expect(text).toContain('Portal');
  expect([text.includes(`<img src="${icon}"`), allowed.split(' ').includes(`${scheme}:`)]).toEqual([isShown, isShown]);
});
