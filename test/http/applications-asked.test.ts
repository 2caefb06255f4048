import { expect, test, vi } from 'vitest';
import { findToken } from '../../src/api-tokens/find-token.ts';
import { opensApp } from '../../src/api-tokens/token-apps.ts';
import { findSession } from '../../src/sessions/find-session.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { sharedApp } from './support.ts';

eachDatabase('a cached answer', (database) => {
  const app = sharedApp({ database });
  /**
   * Repeats a lookup until the service uses its cache. On SQLite, only a lookup checks whether the cache can be used.
   */
  const isKept = () =>
    vi.waitUntil(
      async () => {
        await findSession(app().services, 'none', { appName: 'authsvc', source: 'memory' });
        return app().services.database.changes?.areKnown();
      },
      { timeout: 20_000 },
    );
  const sessionIdOf = async (userId: number) => {
    const { kysely } = app().services.database;
    return (await kysely.selectFrom('sessions').select('id').where('user_id', '=', userId).executeTakeFirstOrThrow())
      .id;
  };

  test('about a session is used only for the application for which it was given', async () => {
    const user = await app().seedUser({ apps: ['authsvc', 'Portal'] });
    await app().signIn(user);
    const id = await sessionIdOf(user.id);
    await isKept();
    const ask = async (name: string) =>
      (await findSession(app().services, id, { appName: name, source: 'memory' })) !== undefined;

    for (let round = 0; round < 2; round += 1) {
      expect([await ask('wiki'), await ask('portal'), await ask('wiki'), await ask('authsvc')]).toEqual([
        false,
        true,
        false,
        true,
      ]);
    }
    await changeUser(app().change(), user.username, { role: 'superadmin' });
    expect(await ask('wiki')).toBe(true);
    await changeUser(app().change(), user.username, { role: 'normaluser', apps: ['wiki'] });
    expect([await ask('wiki'), await ask('portal')]).toEqual([true, false]);
  });

  test('about a token is used only for the application for which it was given', async () => {
    const user = await app().seedUser({ apps: ['authsvc', 'Portal', 'wiki'] });
    const browser = await app().signIn(user);
    const [everywhere, portal] = [await createToken(browser), await createToken(browser, { allowed_apps: ['portal'] })];
    await isKept();
    const ask = async (token: string, name: string) => {
      const found = await findToken(app().services, token);
      return found !== undefined && opensApp(found, name);
    };

    for (let round = 0; round < 2; round += 1) {
      const { token } = portal;
      expect([await ask(token, 'wiki'), await ask(token, 'PORTAL'), await ask(token, 'wiki')]).toEqual([
        false,
        true,
        false,
      ]);
      expect([await ask(everywhere.token, 'other'), await ask(everywhere.token, 'wiki')]).toEqual([false, true]);
    }
    await changeUser(app().change(), user.username, { apps: ['authsvc'] });
    expect([await ask(portal.token, 'portal'), await ask(everywhere.token, 'wiki')]).toEqual([false, false]);
    await changeUser(app().change(), user.username, { role: 'superadmin' });
    expect([await ask(portal.token, 'portal'), await ask(everywhere.token, 'other')]).toEqual([true, true]);
    expect(await ask(portal.token, 'other')).toBe(false);
  });
});
