import { expect, test } from 'vitest';
import { changeApplication } from '../../src/applications/change-application.ts';
import { removePasskey } from '../../src/factors/remove-passkey.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { endExpiredGrants } from '../../src/oidc/end-expired.ts';
import { endUserSessions } from '../../src/sessions/end-sessions.ts';
import { linkAccount, unlinkAccount } from '../../src/social/link-account.ts';
import { changePassword } from '../../src/users/change-password.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import { issueLink } from '../../src/welcome/issue-link.ts';
import { authenticatorFor, seedPasskey } from '../support/authenticator.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { change } from '../support/my-account.ts';
import {
  approveDevice,
  personOf,
  pollDevice,
  type RelyingParty,
  refresh,
  registerRelyingParty,
  signInTo,
  userinfo,
} from '../support/relying-party.ts';
import { MAIN_SECRET, PASSWORD, type SeededUser, type TestApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

interface Scene {
  app: TestApp;
  rp: RelyingParty;
  user: SeededUser;
  /** The browser in which the user gave the grants. */
  browser: Client;
}

const NEXT = 'another-horse-8';
const setPassword = (browser: Client, more: object = {}) =>
  change(browser, 'POST', '/password', { current_password: PASSWORD, new_password: NEXT, ...more });

/** Changes the user's session so that it looks as if it was opened by another method than the password. */
const openedBy = (app: TestApp, user: SeededUser, how: { method?: string; passkey_ref?: string }): Promise<unknown> =>
  app.services.database.kysely.updateTable('sessions').set(how).where('user_id', '=', user.id).execute();

async function takePasskeyByLink({ app, user }: Scene): Promise<void> {
  const expiresAt = app.clock.now() + HOUR_MS;
  const wish = { user, kind: 'reset', source: 'command', sentTo: null, removesFactor: false, expiresAt } as const;
  const { code } = await app.services.database.transaction((tx) => issueLink(tx, wish, app.change()));
  const client = app.client();
  const { body } = await client.post('/authsvc/api/welcome/options', { code });
  const response = authenticatorFor(app).create(Object(body.options));
  expect((await client.post('/authsvc/api/welcome', { code, response })).status).toBe(200);
}

/** A URL at which no application listens. */
const DEAF = 'http://127.0.0.1:9/logout';

const waitingLogouts = ({ services }: TestApp, { key }: RelyingParty) =>
  services.database.kysely
    .selectFrom('outbox')
    .innerJoin('applications', 'applications.id', 'outbox.application_id')
    .select('outbox.id')
    .where('applications.key', '=', key)
    .execute();

type Outcome = 'ends' | 'stays';

/** Each event, and whether it ends the grant of the session, the offline grant and the grant of a device. */
const happenings: [string, Outcome, Outcome, Outcome, (scene: Scene) => Promise<unknown>][] = [
  ['a sign-out', 'ends', 'stays', 'stays', ({ browser }) => browser.logout()],
  [
    'a sign-out of all accounts',
    'ends',
    'stays',
    'stays',
    async ({ browser }) => browser.post('/authsvc/api/logout-all', { _csrf: await browser.csrf() }),
  ],
  [
    'the expiry of the session',
    'ends',
    'stays',
    'stays',
    async ({ app: { services }, user }) => {
      const now = services.clock.now();
      const sessions = services.database.kysely.updateTable('sessions').where('user_id', '=', user.id);
      await sessions.set({ expires_at: now - 1 }).execute();
      await endExpiredGrants(services, now);
    },
  ],
  [
    'a switch to another account and back',
    'stays',
    'stays',
    'stays',
    async ({ app, browser }) => {
      const { current_session_id: id } = (await browser.get('/authsvc/api/account-sessions')).body;
      await browser.login(await app.seedUser());
      expect((await browser.post('/authsvc/api/switch-session', { session_id: id })).status).toBe(200);
    },
  ],
  [
    'a new password, set in the same browser',
    'stays',
    'stays',
    'stays',
    async ({ browser }) => expect((await setPassword(browser)).status).toBe(200),
  ],
  [
    'a new password, set in another browser',
    'ends',
    'stays',
    'stays',
    async ({ app, user }) => expect((await setPassword(await app.signIn(user))).status).toBe(200),
  ],
  [
    'a new password that ends tokens',
    'stays',
    'ends',
    'ends',
    async ({ browser }) => expect((await setPassword(browser, { end_tokens: true })).status).toBe(200),
  ],
  [
    'a password that an operator sets',
    'ends',
    'ends',
    'ends',
    ({ app, user }) =>
      changePassword(
        { ...app.change(), passwords: app.services.passwords, application: app.services.settings },
        { user, password: NEXT, way: 'command' },
      ),
  ],
  ['a passkey in place of the password, by a link', 'ends', 'ends', 'ends', takePasskeyByLink],
  [
    'the removal of the passkey that has opened the session',
    'ends',
    'stays',
    'stays',
    async ({ app, user }) => {
      const passkey = await seedPasskey(app, user, authenticatorFor(app));
      await openedBy(app, user, { passkey_ref: passkey.ref });
      const { settings } = app.services;
      await removePasskey({ ...app.change(), settings }, user, { ref: passkey.ref, mayBeLast: false });
    },
  ],
  [
    'the removal of the provider account that has opened the session',
    'ends',
    'stays',
    'stays',
    async ({ app, user }) => {
      await linkAccount(app.change(), { provider: 'codehost', accountId: user.username, user });
      await openedBy(app, user, { method: 'codehost' });
      await unlinkAccount({ ...app.change(), settings: app.services.settings }, user, 'codehost');
    },
  ],
  [
    'the end of all sessions of a user',
    'ends',
    'ends',
    'ends',
    ({ app, user }) => endUserSessions(app.change(), user, 'command'),
  ],
  [
    'terminateAllSessions',
    'ends',
    'ends',
    'ends',
    ({ app }) =>
      app.client().post('/authsvc/api/terminateAllSessions', undefined, { headers: { authorization: MAIN_SECRET } }),
  ],
  [
    'a deactivation',
    'ends',
    'ends',
    'ends',
    ({ app, user }) => changeUser(app.change(), user.username, { isActive: false }),
  ],
  [
    'the loss of the application',
    'ends',
    'ends',
    'ends',
    ({ app, user }) => changeUser(app.change(), user.username, { apps: ['authsvc'] }),
  ],
  [
    'a change to a role that may not use the application',
    'ends',
    'ends',
    'ends',
    ({ app, rp }) => changeApplication(app.change(), app.services.settings, rp.key, { roles: ['superadmin'] }),
  ],
  ['the removal of the user', 'ends', 'ends', 'ends', ({ app, user }) => removeUser(app.change(), user)],
];

eachDatabase('events that end the access of applications', (database) => {
  const app = sharedApp({ database });

  test.each(happenings)(
    'after %s, the grant of the session %s, the grant of offline access %s, and the grant of a device %s',
    async (_what, session, offline, device, act) => {
      const rp = await registerRelyingParty(app(), { deviceFlow: true, backchannelLogoutUri: DEAF });
      const { user, browser } = await personOf(app(), rp);
      const program = app().client();
      const own = await signInTo(program, browser, rp);
      const away = await signInTo(program, browser, rp, { scope: 'openid offline_access' });
      const { body: apart } = await pollDevice(program, rp, await approveDevice(program, browser, rp));
      const all = [own, away, apart];
      for (const { access_token: token } of all) expect((await userinfo(program, token)).status).toBe(200);

      await act({ app: app(), rp, user, browser });

      // The transaction that ends the grant also writes the logout message. The message is still in the outbox, because
      // it cannot be delivered.
      expect((await waitingLogouts(app(), rp)).length > 0).toBe([session, offline].includes('ends'));
      const shown = await Promise.all(all.map(({ access_token: token }) => userinfo(program, token)));
      const refreshed = await Promise.all(all.map(({ refresh_token: token }) => refresh(program, rp, token)));
      const outcomes = [session, offline, device];
      expect(shown.map(({ status }) => status)).toEqual(outcomes.map((outcome) => (outcome === 'stays' ? 200 : 401)));
      expect(refreshed.map(({ status }) => status)).toEqual(
        outcomes.map((outcome) => (outcome === 'stays' ? 200 : 400)),
      );
    },
  );
});
