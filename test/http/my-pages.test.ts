import { expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { accountOf, sessionsOf } from '../support/my-account.ts';
import { registerRelyingParty } from '../support/relying-party.ts';
import { PASSWORD } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { sharedApp } from './support.ts';

const NEXT = 'another-horse-8';
const pages = [
  '',
  '/password',
  '/two-step',
  '/passkeys',
  '/sessions',
  '/connections',
  '/tokens',
  '/grants',
  '/activity',
];

/** Submits a form of a page with the CSRF token of the page. */
async function send(client: Client, path: string, fields: Record<string, string>) {
  const _csrf = await client.csrf(`/authsvc/account${path}`);
  return client.request('POST', `/authsvc/account${path}`, {
    raw: new URLSearchParams({ _csrf, ...fields }).toString(),
    type: 'application/x-www-form-urlencoded',
    headers: { accept: 'text/html' },
  });
}

eachDatabase("the pages of the user's own account", (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });

  test.each(pages)(
    '%s is only for the user, has one heading and no session id; visitors go to the login page and back',
    async (path) => {
      const client = await app().signIn(await app().seedUser());
      const address = `/authsvc/account${path}`;

      const reply = await client.page(address);

      expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(reply.text.match(/<h1/g)).toHaveLength(1);
      expect(reply.text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/);
      const { headers } = await app().client().page(address);
      expect(headers.location).toBe(`/authsvc/login?redirect=${encodeURIComponent(address)}`);
    },
  );

  test('name and picture are saved, and a refused form is shown again with its values and the error', async () => {
    const client = await app().signIn(await app().seedUser());

    const refused = await send(client, '', { full_name: 'Ada', image: 'javascript:1' });
    expect([refused.status, refused.text.includes('value="Ada"')]).toEqual([400, true]);
    expect(refused.text).toMatch(/id="image-error">/);
    const saved = await send(client, '', { full_name: 'Ada', image: '' });

    expect([saved.status, saved.headers.location]).toEqual([303, '/authsvc/account?done=saved']);
    expect((await accountOf(client)).full_name).toBe('Ada');
  });

  test('the profile shows role and applications by their names, in the language of the reader', async () => {
    const { key } = await registerRelyingParty(app(), { name: 'Wiki of the team' });
    const client = await app().signIn(await app().seedUser({ apps: ['authsvc', key, 'unregistered'] }));
    const cellsOf = async (language: string) => {
      const { text } = await client.page('/authsvc/account', { headers: { 'accept-language': language } });
      return [...text.matchAll(/<dd><bdi data-soft>(.*?)<\/bdi>/g)].map(([, value]) => value);
    };

    expect(await cellsOf('en')).toEqual(expect.arrayContaining(['User', 'authsvc, Wiki of the team, unregistered']));
    expect(await cellsOf('de')).toContain('Benutzer');
  });

  test('the password changes; a wrong one is refused below its field, and the page repeats no typed password', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    const right = { current_password: PASSWORD, new_password: NEXT };

    const refused = await send(client, '/password', { ...right, current_password: 'wrong-horse-1' });
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/id="current-password-error">/);
    expect(refused.text).not.toContain(NEXT);
    expect((await send(client, '/password', { ...right, _csrf: 'x' })).status).toBe(403);
    expect((await send(client, '/password', { ...right, new_password: 'short' })).status).toBe(400);
    const changed = await send(client, '/password', right);

    expect([changed.status, changed.headers.location]).toEqual([303, '/authsvc/account/password?done=passwordChanged']);
    expect(await client.isSignedIn()).toBe(true);
    expect(
      (
        await app()
          .client()
          .login({ ...ada, password: NEXT })
      ).status,
    ).toBe(200);
  });

  test('with a second factor the form of the password also asks for a code', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret, -1), { trust_device: true });
    const trusting = client.clone();
    await trusting.login(carol);
    const right = { current_password: PASSWORD, new_password: NEXT };

    const refused = await send(trusting, '/password', { ...right, token: '000000' });
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/id="token-error">/);
    const changed = await send(trusting, '/password', { ...right, token: codeOf(app(), carol.secret) });

    expect(changed.status).toBe(303);
  });

  test('sessions can be ended one by one, or all others at once', async () => {
    const ada = await app().seedUser();
    const [here, two, three] = [await app().signIn(ada), await app().signIn(ada), await app().signIn(ada)];
    const [{ ref } = { ref: '' }] = (await sessionsOf(three)).filter(({ current }) => current);

    expect((await send(here, '/sessions', { ref: String(ref) })).status).toBe(303);
    expect([await two.isSignedIn(), await three.isSignedIn()]).toEqual([true, false]);
    expect((await send(here, '/sessions', { others: 'true' })).status).toBe(303);

    expect([await here.isSignedIn(), await two.isSignedIn()]).toEqual([true, false]);
    expect((await send(here, '/sessions', { ref: 'x' })).status).toBe(404);
  });
});
