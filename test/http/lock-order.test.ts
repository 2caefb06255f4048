import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { clean } from '../../src/db/cleaning.ts';
import { openDatabase } from '../../src/db/open.ts';
import { enableSecondFactor, endTrust } from '../../src/factors/second-factor.ts';
import { newUuid } from '../../src/lib/random.ts';
import { endUserSessions } from '../../src/sessions/end-sessions.ts';
import { deleteExpiredSessions } from '../../src/sessions/queries.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { lockUser } from '../../src/users/queries.ts';
import type { Reply } from '../support/client.ts';
import { decide, poll, requestToken, seedProfile } from '../support/device-login.ts';
import { freshDatabase } from '../support/each-database.ts';
import { MAIN_SECRET, startApp } from '../support/start-app.ts';
import { seedSecondFactorUser, wrongCode } from '../support/totp.ts';

vi.setConfig({ testTimeout: 180_000 });

/** How often each race runs. Set RACE_ROUNDS=100 for a thorough run. */
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 4);
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const open = { env: 'dev', RATE_LIMITS: 'off' };

const times = <T>(count: number, make: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));
const failures = (replies: Reply[]) => replies.map(({ status }) => status).filter((status) => status >= 500);

// Each test drops its database at its end. Dropping it fails if PostgreSQL has counted a deadlock in it.
describe('transactions lock the same rows in one order', () => {
  test('guesses and a recovery code of one pending sign-in', async (t) => {
    const app = await startApp(t, { database: 'postgres', settings: { ...open, AUTHSVC_TWO_FA_ENABLE: 'true' } });
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await seedSecondFactorUser(app);
      const [code = ''] = user.recoveryCodes;
      const browser = app.client();
      await browser.login(user);
      const _csrf = await browser.csrf('/authsvc/2fa');
      const send = (token: string) => browser.clone().post('/authsvc/api/verify-2fa', { token, _csrf });

      const replies = await times(6, (at) => send(at % 2 ? code : wrongCode(app, user.secret)));

      expect(failures(replies)).toEqual([]);
      expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    }
  });

  test('sign-ins in two browsers that remember the same people, and sign-outs', async (t) => {
    const settings = { ...open, MAX_SESSIONS_PER_USER: '2', MAX_REMEMBERED_ACCOUNTS: '2' };
    const app = await startApp(t, { database: 'postgres', settings });
    const users = await times(3, () => app.seedUser());
    const browsers = await times(2, async () => {
      const browser = app.client();
      for (const user of users) await browser.login(user);
      return browser;
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      const replies = await Promise.all(
        browsers.flatMap((browser, at) => [
          ...users.map((user, second) => browser.clone().login(users[(second + at) % 3] ?? user)),
          browser.clone().post('/authsvc/api/logout-all'),
          browser.clone().logout(),
        ]),
      );
      for (const browser of browsers) for (const user of users) await browser.login(user);

      expect(failures(replies)).toEqual([]);
    }
  });

  test('sessions of all users, of one user and expired ones end while people sign in', async (t) => {
    const app = await startApp(t, { database: 'postgres', settings: { ...open, MAX_SESSIONS_PER_USER: '3' } });
    const { database } = app.services;
    const users = await times(3, () => app.seedUser());
    const headers = { authorization: MAIN_SECRET };
    for (let round = 0; round < ROUNDS; round += 1) {
      const rows = Array.from({ length: 60 }, (_, at) => ({
        ...{ id: newUuid(), user_id: users[at % 3]?.id ?? 0, method: 'password', address: '', user_agent: '' },
        ...{ created_at: at, expires_at: at % 2 ? 1 : Date.now() + 60_000 },
      }));
      await database.kysely.insertInto('sessions').values(rows).execute();

      const [replies, all] = await Promise.all([
        times(9, (at) => app.client().login(users[at % 3] ?? { username: '', password: '' })),
        app.client().post('/authsvc/api/terminateAllSessions', undefined, { headers }),
        clean({ database, now: () => Date.now() }, [deleteExpiredSessions]),
        ...users.map((user) => endUserSessions(app.change(), user, 'command')),
      ]);

      expect(failures([...replies, all])).toEqual([]);
    }
  });

  test('the approval of a program, its token, and a user who loses rights meanwhile', async (t) => {
    const app = await startApp(t, { database: 'postgres', settings: { ...open, MAX_TOKENS_PER_USER: '1000' } });
    const { key } = await seedProfile(app);
    const user = await app.seedUser();
    const browser = await app.signIn(user);
    for (let round = 0; round < ROUNDS; round += 1) {
      const codes = await times(4, () => requestToken(app.client(), key));
      await Promise.all(codes.slice(0, 2).map((code) => decide(browser, code, 'approve')));

      const [replies] = await Promise.all([
        Promise.all([
          ...codes.slice(0, 2).flatMap((code) => [poll(app.client(), code), poll(app.client(), code)]),
          ...codes.slice(2).map((code) => decide(browser, code, 'approve')),
        ]),
        changeUser(app.change(), user.username, { apps: ['authsvc', `app-${round}`] }).then(() =>
          changeUser(app.change(), user.username, { apps: ['authsvc'] }),
        ),
      ]);

      expect(failures(replies)).toEqual([]);
    }
  });

  test('a new second factor and the end of trust in browsers', async (t) => {
    const app = await startApp(t, { database: 'postgres', settings: { ...open, AUTHSVC_TWO_FA_ENABLE: 'true' } });
    const user = await app.seedUser();
    const { database, dataSealer } = app.services;
    for (let round = 0; round < ROUNDS; round += 1) {
      await times(6, (at) =>
        database.kysely
          .insertInto('trusted_browsers')
          .values({
            token_hash: `${round} ${at}`,
            user_id: user.id,
            user_agent: '',
            created_at: 1,
            expires_at: 2,
          })
          .execute(),
      );

      await Promise.all([
        endTrust(app.change(), user),
        enableSecondFactor({ ...app.change(), dataSealer }, user, SECRET),
        endTrust(app.change(), user),
      ]);
    }
  });
});

test('races are decided by guarded updates, also where transactions are serializable by default', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const app = await startApp(t, { database: fresh });
  const ada = await app.seedUser();
  const owner = await openDatabase(fresh.url, { max: 1, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(owner.close);
  await sql`alter role current_user in database ${sql.id(new URL(fresh.url).pathname.slice(1))} set default_transaction_isolation = 'serializable'`.execute(
    owner.kysely,
  );
  const database = await openDatabase(fresh.url, { max: 8, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(database.close);

  const level = await sql<{ transaction_isolation: string }>`show transaction_isolation`.execute(database.kysely);
  expect(level.rows).toEqual([{ transaction_isolation: 'serializable' }]);
  const all = Array.from({ length: 8 }, () =>
    database.transaction(async (tx) => {
      await tx.kysely.selectFrom('users').select('last_login_at').where('id', '=', ada.id).execute();
      return lockUser.run(tx, { id: ada.id });
    }),
  );
  expect(await Promise.all(all)).toEqual(Array.from({ length: 8 }, () => 1));
});
