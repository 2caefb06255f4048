import { expect, test } from 'vitest';
import { eachDatabase } from '../support/each-database.ts';
import { expectError, sharedApp } from './support.ts';

eachDatabase('a role of ROLES beyond the two of authsvc', (database) => {
  const app = sharedApp({ database, settings: { ROLES: 'editor', env: 'dev', RATE_LIMITS: 'off' } });

  test('is shown to applications and to its user, and has no rights in authsvc', async () => {
    const user = await app().seedUser({ role: 'editor' });
    const browser = await app().signIn(user);

    const question = { session_id: browser.jar.get('session_id'), is_encrypt: true };
    expect((await app().client().post('/authsvc/api/verifySession', question)).body).toMatchObject({ role: 'editor' });
    expect((await browser.page('/authsvc/test')).text).toContain('editor');
    expect((await browser.page('/authsvc/accounts')).status).toBe(200);
    expectError(await browser.get('/authsvc/validate-superadmin'), 'SUPERADMIN_REQUIRED');
  });

  test('does not let a user in whose list of applications lacks this one', async () => {
    const user = await app().seedUser({ role: 'editor', apps: ['elsewhere'] });

    expectError(await app().client().login(user), 'APP_NOT_ALLOWED');
  });
});
