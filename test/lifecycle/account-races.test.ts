import { generateSync } from 'otplib';
import { expect, test, vi } from 'vitest';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { sendCode } from '../support/totp.ts';
import { addUser, runCommand } from './support.ts';
import { ROUNDS, sameBrowser, startTwo } from './two-services.ts';

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

vi.setConfig({ testTimeout: 60_000 + ROUNDS * 10_000 });

interface Account {
  session_id: string;
  username: string;
}

async function sessionOf(browser: Client, name: string): Promise<string> {
  const { body } = await browser.get('/authsvc/api/account-sessions');
  const accounts: Account[] = Array.isArray(body.accounts) ? body.accounts : [];
  return accounts.find(({ username }) => username === name)?.session_id ?? '';
}

const switchTo = (browser: Client, session_id: string): Promise<Reply> =>
  browser.post('/authsvc/api/switch-session', { session_id });
const statuses = (replies: Reply[]): number[] => replies.map(({ status }) => status).sort((a, b) => a - b);

eachDatabase('two services and one browser', (kind) => {
  test('after a simultaneous account switch and logout of all accounts, no session is left', async (t) => {
    const { place, database, clientAt } = await startTwo(t, kind);
    const [ada, bob] = [await addUser(t, place, 'ada'), await addUser(t, place, 'bob')];

    for (let round = 0; round < ROUNDS; round += 1) {
      const browser = clientAt(round);
      for (const user of [ada, bob]) await browser.login(user);
      const target = await sessionOf(browser, ada.username);
      const elsewhere = sameBrowser(browser, clientAt(round + 1));

      const [switched, out] = await Promise.all([switchTo(browser, target), elsewhere.post('/authsvc/api/logout-all')]);

      expect([out.status, [200, 401].includes(switched.status)]).toEqual([200, true]);
      expect(await database.kysely.selectFrom('sessions').select('id').execute()).toEqual([]);
    }
  });

  test('after simultaneous sign-ins, a logout of all with any of their lists leaves no session', async (t) => {
    const { place, database, clientAt } = await startTwo(t, kind);
    const [ada, bob, carol] = [
      await addUser(t, place, 'ada'),
      await addUser(t, place, 'bob'),
      await addUser(t, place, 'carol'),
    ];

    for (let round = 0; round < ROUNDS; round += 1) {
      const browser = clientAt(0);
      await browser.login(ada);
      const tabs = [0, 1, 2].map((at) => sameBrowser(browser, clientAt(at)));

      const replies = await Promise.all(tabs.map((tab, at) => tab.login([bob, carol, bob][at] ?? bob)));
      await (tabs[round % 3] ?? browser).post('/authsvc/api/logout-all');

      expect(statuses(replies)).toEqual([200, 200, 200]);
      expect(await database.kysely.selectFrom('sessions').select('id').execute()).toEqual([]);
    }
  });

  test('exactly one of several simultaneous switches to one session succeeds', async (t) => {
    const { place, clientAt } = await startTwo(t, kind);
    const [ada, bob] = [await addUser(t, place, 'ada'), await addUser(t, place, 'bob')];

    for (let round = 0; round < ROUNDS; round += 1) {
      const browser = clientAt(0);
      for (const user of [ada, bob]) await browser.login(user);
      const target = await sessionOf(browser, ada.username);
      const copies = [0, 1, 2, 3].map((at) => sameBrowser(browser, clientAt(at)));

      const replies = await Promise.all(copies.map((copy) => switchTo(copy, target)));

      expect(statuses(replies)).toEqual([200, 401, 401, 401]);
      const winner = copies[replies.findIndex(({ status }) => status === 200)];
      expect(await winner?.isSignedIn()).toBe(true);
    }
  });

  test('exactly one of eight simultaneous requests with one code signs in', async (t) => {
    const { place, database, clientAt } = await startTwo(t, kind);
    const carol = await addUser(t, place, 'carol');
    await runCommand(t, place, ['2fa', 'enable', 'carol', '--secret', SECRET]);

    for (let round = 0; round < ROUNDS; round += 1) {
      await database.kysely.updateTable('totp_factors').set({ last_step: 0 }).execute();
      await database.kysely.deleteFrom('factor_guesses').execute();
      const browsers = await Promise.all(
        Array.from({ length: 8 }, async (_, at) => {
          const browser = clientAt(at);
          await browser.login(carol);
          return browser;
        }),
      );
      const code = generateSync({ secret: SECRET });

      const replies = await Promise.all(browsers.map((browser) => sendCode(browser, code)));

      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.every(({ status }) => [200, 401, 429].includes(status))).toBe(true);
      const signedIn = await Promise.all(browsers.map((browser) => browser.isSignedIn()));
      expect(signedIn.filter(Boolean)).toHaveLength(1);
    }
  });
});
