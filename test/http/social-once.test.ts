import { expect, test } from 'vitest';
import { clean } from '../../src/db/cleaning.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { linkAccount } from '../../src/social/link-account.ts';
import { deleteExpiredConsumedStates } from '../../src/social/queries.ts';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startOAuthServer } from '../support/oauth-server.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { expectErrorPage, start } from './social-support.ts';
import { breakWrites, dumpDatabase } from './support.ts';

type Owner = Parameters<typeof startApp>[0];

/** Starts two services on one database, and a code host that accepts any code any number of times. */
async function lenientWorld(owner: Owner, kind: DatabaseKind) {
  const codehost = await startOAuthServer(owner);
  codehost.token = { body: { access_token: 'any', token_type: 'bearer' } };
  codehost.userEndpoint = { body: { id: 4711 } };
  const database = await freshDatabase(kind);
  owner.onTestFinished(database.drop);
  const settings = { ...codehost.settings, LOGIN_REDIRECT_URL: '/home' };
  const app = await startApp(owner, { database, settings });
  const other = await startApp(owner, { database, settings, clock: app.clock });
  const user = await app.seedUser();
  await linkAccount(app.change(), { provider: 'codehost', accountId: '4711', user });
  return { app, other, codehost };
}

const rowsOf = async (app: TestApp, table: string) => (await dumpDatabase(app))[table] ?? [];

eachDatabase('the state of a social sign-in', (kind) => {
  test('is used only once by twenty simultaneous callbacks, to two processes, with copies of the cookies', async (t) => {
    const { app, other, codehost } = await lenientWorld(t, kind);
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost', '?redirect=%2Fapp'));
    const copies = Array.from({ length: 20 }, (_, index) => {
      const copy = (index % 2 === 0 ? app : other).client();
      for (const [name, value] of client.jar) copy.jar.set(name, value);
      return copy;
    });

    const replies = await Promise.all(copies.map((copy) => copy.page(path)));

    const [first, ...rest] = replies.sort((a, b) => a.status - b.status);
    expect(first?.headers.location).toBe('/app');
    for (const reply of rest) {
      expectErrorPage(reply, 'SOCIAL_START_USED');
      expect(reply.cookies).toEqual([]);
    }
    expect(codehost.seen.filter((request) => request.path === '/token')).toHaveLength(1);
    expect(await rowsOf(app, 'sessions')).toHaveLength(1);
  });

  test('is used up by a refusal too', async (t) => {
    const { app, codehost } = await lenientWorld(t, kind);
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost'));
    const copy = client.clone();

    expectErrorPage(await client.page(`${path}&error=access_denied`), 'PROVIDER_CANCELLED');
    expectErrorPage(await copy.page(path), 'SOCIAL_START_USED');
    expect(codehost.seen).toEqual([]);
  });

  test('is refused the second time; in a signed-in browser, the error page links to the destination', async (t) => {
    const { app, codehost } = await lenientWorld(t, kind);
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost', '?redirect=%2Fapp'));
    const before = [...client.jar];
    await client.page(path);
    for (const [name, value] of before) client.jar.set(name, value);

    const again = await client.page(path);

    expectErrorPage(again, 'SOCIAL_START_USED');
    expect(again.text).toContain('href="/app"');
  });

  test('is not used up while the database refuses to write: no one is signed in, and it works later', async (t) => {
    const { app, codehost } = await lenientWorld(t, kind);
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost', '?redirect=%2Fapp'));
    const mend = await breakWrites(app, 'spent_starts', 'insert');

    const refused = await client.page(path);
    const asked = [...codehost.seen];
    await mend();
    const later = await client.page(path);

    expect(refused.status).toBe(500);
    expect(refused.text).toContain('>LOGIN_FAILED<');
    expect(refused.text).toContain('href="/authsvc/login?redirect=%2Fapp"');
    expect(asked).toEqual([]);
    expect(later.headers.location).toBe('/app');
  });

  test('is not used up by HEAD, which changes nothing', async (t) => {
    const { app, codehost } = await lenientWorld(t, kind);
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost'));
    const before = await dumpDatabase(app);

    const head = await client.request('HEAD', path, { headers: { accept: 'text/html' } });

    expect([head.status, head.headers.location, head.cookies]).toEqual([403, undefined, []]);
    expect(codehost.seen).toEqual([]);
    expect(await dumpDatabase(app)).toEqual(before);
    expect((await client.page(path)).headers.location).toBe('/home');
  });

  test('is not stored at the start; after its use it is stored in an unreadable form, until ten minutes after the start', async (t) => {
    const { app, codehost } = await lenientWorld(t, kind);
    const client = app.client();
    const tidy = () => clean({ database: app.services.database, now: app.clock.now }, [deleteExpiredConsumedStates]);
    const address = await start(client, 'codehost');
    const atStart = await rowsOf(app, 'spent_starts');
    app.clock.advance(MINUTE_MS);
    await client.page(codehost.agree(address));

    app.clock.advance(8 * MINUTE_MS);
    await tidy();
    const early = await rowsOf(app, 'spent_starts');
    app.clock.advance(MINUTE_MS);
    await tidy();

    expect(atStart).toEqual([]);
    expect(early).toHaveLength(1);
    expect(early[0]).not.toContain(new URL(address).searchParams.get('state'));
    expect(await rowsOf(app, 'spent_starts')).toEqual([]);
  });
});
