import { generateSync } from 'otplib';
import { expect, test, vi } from 'vitest';
import type { Database } from '../../src/db/handle.ts';
import { sha256 } from '../../src/lib/digest.ts';
import { randomText } from '../../src/lib/random.ts';
import type { Client, Reply } from '../support/client.ts';
import { type DatabaseKind, eachDatabase } from '../support/each-database.ts';
import { change } from '../support/my-account.ts';
import { sendCode } from '../support/totp.ts';
import { addUser, type Owner } from './support.ts';
import { ROUNDS, sameBrowser, startTwo } from './two-services.ts';

vi.setConfig({ testTimeout: 90_000 + ROUNDS * 15_000 });

const HOUR_MS = 3_600_000;
const CONFIRMED_MS = 300_000;
const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status).sort((a, b) => a - b);
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Starts two services with a user, and a browser in which the user has signed in. */
async function world(t: Owner, kind: DatabaseKind, settings: Record<string, string> = {}) {
  const { place, database, clientAt } = await startTwo(t, kind, settings);
  const user = await addUser(t, place, 'ada');
  const { id } = await database.kysely
    .selectFrom('users')
    .select('id')
    .where('username', '=', 'ada')
    .executeTakeFirstOrThrow();
  const browser = clientAt(0);
  await browser.login(user);
  /** Confirms every session, so that it may make changes, and deletes the counts of wrong codes. */
  const prepare = async () => {
    await database.kysely
      .updateTable('sessions')
      .set({ confirmed_until: Date.now() + CONFIRMED_MS })
      .execute();
    await database.kysely.deleteFrom('factor_guesses').execute();
  };
  return { database, clientAt, user, userId: id, browser, prepare };
}

const rowsOf = async ({ kysely }: Database, table: 'sessions' | 'recovery_codes' | 'totp_factors' | 'totp_drafts') =>
  (await kysely.selectFrom(table).select('user_id').execute()).length;

/** Sets up an authenticator app. Returns the recovery codes. */
async function enrol(browser: Client): Promise<string[]> {
  const { secret } = (await change(browser, 'POST', '/totp')).body;
  const token = generateSync({ secret: String(secret) });
  return textsOf((await change(browser, 'POST', '/totp/verify', { token })).body.recovery_codes);
}

eachDatabase('two services and one user', (kind) => {
  test('while recovery codes are replaced, an old code signs in before the replacement or not at all, and all new codes exist afterwards', async (t) => {
    const { database, clientAt, user, browser, prepare } = await world(t, kind);
    let codes = await enrol(browser);

    for (let round = 0; round < ROUNDS; round += 1) {
      await prepare();
      const other = clientAt(1);
      await other.login(user);
      const _csrf = await other.csrf('/authsvc/2fa');
      const [code = ''] = codes;
      const send = () => other.post('/authsvc/api/verify-2fa', { token: code, _csrf });

      const [used, renewed] = await Promise.all([send(), change(browser, 'POST', '/recovery-codes')]);

      expect([renewed.status, [200, 401].includes(used.status)]).toEqual([200, true]);
      codes = textsOf(renewed.body.recovery_codes);
      expect([codes.length, await rowsOf(database, 'recovery_codes')]).toEqual([10, 10]);
      const late = clientAt(0);
      await late.login(user);
      expect((await sendCode(late, code)).status).toBe(401);
      if (used.status === 200) await other.logout();
    }
  });

  test('only one of twenty uses of one reset link succeeds, and its password is the valid one', async (t) => {
    const { database, clientAt, user, userId } = await world(t, kind);

    for (let round = 0; round < ROUNDS; round += 1) {
      const code = randomText(32);
      const now = Date.now();
      const link = { code_hash: sha256(code), user_id: userId, kind: 'reset', source: 'command', sent_to: null };
      const rest = { removes_factor: 0, created_at: now, expires_at: now + HOUR_MS };
      await database.kysely.deleteFrom('password_guesses').execute();
      await database.kysely
        .insertInto('welcome_links')
        .values({ ...link, ...rest })
        .execute();
      const passwordOf = (at: number) => `racing-horse-${round}-${at}`;

      const replies = await Promise.all(
        Array.from({ length: 20 }, (_none, at) =>
          clientAt(at).post('/authsvc/api/welcome', { code, new_password: passwordOf(at) }),
        ),
      );

      const winner = replies.findIndex(({ status }) => status === 200);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.every(({ status }) => [200, 404, 503].includes(status))).toBe(true);
      expect(await rowsOf(database, 'sessions')).toBe(1);
      const signIn = (at: number) => clientAt(at).login({ ...user, password: passwordOf(at) });
      expect((await signIn(winner)).status).toBe(200);
      expect((await signIn((winner + 1) % 20)).status).toBe(401);
    }
  });

  test('one of two simultaneous removals of the last two ways to sign in is refused', async (t) => {
    const providers = {
      CODEHOST_LOGIN_ENABLED: 'true',
      CODEHOST_APP_CLIENT_ID: 'client',
      CODEHOST_APP_CLIENT_SECRET: 'a-secret-of-the-client',
    };
    const { database, clientAt, userId, browser, prepare } = await world(t, kind, providers);
    const { kysely } = database;
    await kysely.updateTable('users').set({ password_hash: '' }).where('id', '=', userId).execute();

    for (let round = 0; round < ROUNDS; round += 1) {
      await prepare();
      await kysely.deleteFrom('passkeys').execute();
      await kysely.deleteFrom('provider_links').execute();
      const ref = randomText(16);
      const key = { ref, user_id: userId, credential_id: ref, public_key: 'oA', counter: 0, transports: '[]' };
      const rest = { aaguid: '', name: 'Key', backed_up: 0, rp_id: 'localhost', created_at: 1, last_used_at: null };
      await kysely
        .insertInto('passkeys')
        .values({ ...key, ...rest })
        .execute();
      const link = { provider: 'codehost', account_id: '1', user_id: userId, created_at: 1 };
      await kysely.insertInto('provider_links').values(link).execute();
      const elsewhere = sameBrowser(browser, clientAt(1));

      const replies = await Promise.all([
        change(browser, 'DELETE', `/passkeys/${ref}`),
        change(elsewhere, 'DELETE', '/connections/codehost'),
      ]);

      expect(statuses(replies)).toEqual([200, 409]);
      const [keys, links] = [
        await kysely.selectFrom('passkeys').select('ref').execute(),
        await kysely.selectFrom('provider_links').select('provider').execute(),
      ];
      expect(keys.length + links.length).toBe(1);
    }
  });

  test('after a new password and a sign-in with the old one, only the session that changed the password is left', async (t) => {
    const { database, clientAt, user, browser, prepare } = await world(t, kind);
    let current = user.password;

    for (let round = 0; round < ROUNDS; round += 1) {
      await prepare();
      const next = `racing-horse-${round}`;
      const other = clientAt(1);

      const [changed, signedIn] = await Promise.all([
        change(browser, 'POST', '/password', { current_password: current, new_password: next }),
        other.login({ ...user, password: current }),
      ]);

      expect([changed.status, [200, 401].includes(signedIn.status)]).toEqual([200, true]);
      expect([await other.isSignedIn(), await browser.isSignedIn()]).toEqual([false, true]);
      expect(await rowsOf(database, 'sessions')).toBe(1);
      current = next;
    }
  });

  test('if a new authenticator app is confirmed while the second factor is removed, no app, recovery code or draft is left', async (t) => {
    const { database, clientAt, browser, prepare } = await world(t, kind);
    const elsewhere = sameBrowser(browser, clientAt(1));

    for (let round = 0; round < ROUNDS; round += 1) {
      await prepare();
      if ((await rowsOf(database, 'totp_factors')) === 0) await enrol(browser);
      const { secret } = (await change(browser, 'POST', '/totp')).body;
      const token = generateSync({ secret: String(secret) });

      const [verified, removed] = await Promise.all([
        change(browser, 'POST', '/totp/verify', { token }),
        change(elsewhere, 'DELETE', '/totp'),
      ]);

      expect([[200, 409].includes(verified.status), removed.status]).toEqual([true, 200]);
      const left = [
        await rowsOf(database, 'totp_factors'),
        await rowsOf(database, 'recovery_codes'),
        await rowsOf(database, 'totp_drafts'),
      ];
      expect(left).toEqual([0, 0, 0]);
    }
  });
});
