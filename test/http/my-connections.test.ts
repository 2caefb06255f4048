import { expect, test } from 'vitest';
import { linkAccount } from '../../src/social/link-account.ts';
import { insertHashed } from '../../src/users/add-user.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { change, unconfirmed } from '../support/my-account.ts';
import { expectErrorPage, sharedSocialWorld, start, throughCodehost, throughWebsso } from './social-support.ts';
import { expectError } from './support.ts';

const PAGE = '/authsvc/account/connections';

/** Returns the connections of a client's user, by provider. */
async function connectionsOf(client: Client): Promise<Record<string, Record<string, unknown>>> {
  const { connections } = (await client.get('/authsvc/api/account/connections')).body;
  const list: Record<string, unknown>[] = Array.isArray(connections) ? connections : [];
  return Object.fromEntries(list.map((one) => [String(one.provider), one]));
}

eachDatabase("the user's own accounts at providers", (database) => {
  const world = sharedSocialWorld(database);
  const app = () => world().app;

  /** Starts to link an account. Returns the URL to which the browser is sent. */
  async function startLink(client: Client, provider: string): Promise<string> {
    const { status, text, body } = await change(client, 'POST', `/connections/${provider}`);
    expect(status, text).toBe(200);
    return String(body.redirect_url);
  }

  /** Links the code host's account with this id. */
  async function link(client: Client, id: number) {
    world().codehost.user = { id };
    return client.page(world().codehost.agree(await startLink(client, 'codehost')));
  }

  test('an account is linked by its owner, is listed, and can be used to sign in', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    expect((await connectionsOf(client)).websso).toEqual({
      provider: 'websso',
      label: 'Web SSO',
      enabled: true,
      linked: false,
      account_id: null,
      linked_at: null,
    });

    const here = await link(client, 7001);
    const there = await client.page(await world().websso.agree(await startLink(client, 'websso'), 'sub-7001'));

    expect([here.status, here.headers.location]).toEqual([302, PAGE]);
    expect(there.headers.location).toBe(PAGE);
    expect(await connectionsOf(client)).toMatchObject({
      codehost: { linked: true, account_id: '7001', linked_at: expect.stringMatching(/Z$/) },
      websso: { linked: true, account_id: 'sub-7001' },
    });
    const [byCodehost, byWebsso] = [app().client(), app().client()];
    await throughCodehost(world(), byCodehost);
    await throughWebsso(world(), byWebsso, 'sub-7001');
    for (const one of [byCodehost, byWebsso]) expect(await one.isSignedIn()).toBe(true);
  });

  test('the account of another user is refused, and so is a second one at the same provider', async () => {
    await world().linkedUser('codehost', '7002');
    const client = await app().signIn(await app().seedUser());

    expectErrorPage(await link(client, 7002), 'CONNECTION_TAKEN');
    expect((await connectionsOf(client)).codehost?.linked).toBe(false);
    const late = await startLink(client, 'codehost');
    await link(client, 7003);
    expectError(await change(client, 'POST', '/connections/codehost'), 'CONNECTION_EXISTS');
    world().codehost.user = { id: 7004 };
    expectErrorPage(await client.page(world().codehost.agree(late)), 'CONNECTION_EXISTS');
    expectError(await change(client, 'POST', '/connections/nothing'), 'NOT_FOUND');
  });

  test('linking works only in the session that started it, and the start of a sign-in cannot be used for linking', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    const client = await app().signIn(ada);
    world().codehost.user = { id: 7005 };
    const callback = world().codehost.agree(await startLink(client, 'codehost'));
    const copy = await app().signIn(bob);
    for (const [name, value] of client.jar) if (name.startsWith('social_start')) copy.jar.set(name, value);

    expectErrorPage(await copy.page(callback), 'SOCIAL_START_UNKNOWN');
    const nobody = app().client();
    for (const [name, value] of client.jar) if (name.startsWith('social_start')) nobody.jar.set(name, value);
    expectErrorPage(await nobody.page(callback), 'SOCIAL_START_UNKNOWN');
    expect(await nobody.isSignedIn()).toBe(false);
    await client.login(bob);
    expectErrorPage(await client.page(callback), 'SOCIAL_START_UNKNOWN');

    const signingIn = await app().signIn(ada);
    const reply = await signingIn.page(world().codehost.agree(await start(signingIn, 'codehost')));
    expect(reply.status).toBe(403);
    for (const one of [copy, signingIn]) expect((await connectionsOf(one)).codehost?.linked).toBe(false);
  });

  test('linking and removing need a confirmation', async () => {
    const ada = await world().linkedUser('codehost', '7006');
    const client = await unconfirmed(app(), ada);

    expect((await change(client, 'POST', '/connections/websso')).body.code).toBe('CONFIRMATION_REQUIRED');
    expect((await change(client, 'DELETE', '/connections/codehost')).body.code).toBe('CONFIRMATION_REQUIRED');
  });

  test('a removed account can no longer be used to sign in, and the sessions that it opened end', async () => {
    const ada = await world().linkedUser('codehost', '7007');
    const client = await app().signIn(ada);
    world().codehost.user = { id: 7007 };
    const opened = app().client();
    await throughCodehost(world(), opened);

    expect((await change(client, 'DELETE', '/connections/codehost')).body).toEqual({ success: true });

    expect([await opened.isSignedIn(), await client.isSignedIn()]).toEqual([false, true]);
    expect((await throughCodehost(world(), app().client())).status).toBe(403);
    expectError(await change(client, 'DELETE', '/connections/codehost'), 'REF_UNKNOWN');
  });

  test('the last way to sign in cannot be removed, even if the last two are removed at once', async () => {
    const ada = await app().services.database.transaction((tx) =>
      insertHashed(
        tx,
        { appName: 'authsvc', now: app().clock.now(), actor: { type: 'system' } },
        { name: `linked-${app().clock.now()}`, role: 'normaluser', hash: '' },
      ),
    );
    if (!ada) throw new Error('the name is taken');
    await linkAccount(app().change(), { provider: 'codehost', accountId: '7008', user: ada });
    await linkAccount(app().change(), { provider: 'websso', accountId: 'sub-7008', user: ada });
    world().codehost.user = { id: 7008 };
    const client = app().client();
    await throughCodehost(world(), client);

    const replies = await Promise.all([
      change(client, 'DELETE', '/connections/codehost'),
      change(client, 'DELETE', '/connections/websso'),
    ]);

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await change(client, 'POST', '/password', { new_password: 'another-horse-8' })).status).toBe(200);
    const [left] = Object.values(await connectionsOf(client)).filter(({ linked }) => linked);
    expect((await change(client, 'DELETE', `/connections/${left?.provider}`)).status).toBe(200);
  });
});
