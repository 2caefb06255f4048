import { expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { formOf, submit } from '../support/forms.ts';
import { accountOf, unconfirmed } from '../support/my-account.ts';
import { registerRelyingParty } from '../support/relying-party.ts';
import { PASSWORD, startApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const PAGE = '/authsvc/account/tokens';
const REVOKE = `${PAGE}/revoke`;
const PROFILE = '/authsvc/account';

eachDatabase('the pages of API tokens and of the e-mail address, without scripts', (database) => {
  const app = sharedApp({ database });
  const textOf = async (client: Client, path = PAGE) => (await client.page(path)).text;
  const tokenIn = (html: string) => /id="created"[^>]*>(tok_[0-9a-f]{64})</.exec(html)?.[1];

  test('a token is created, shown once, valid, and can be revoked', async () => {
    const client = await app().signIn(await app().seedUser());
    const form = formOf(await textOf(client), PAGE);

    const sent = await submit(client, form, { name: 'Backups', scope: 'write', expiresDays: '7' });
    expect([sent.status, sent.headers.location]).toEqual([
      303,
      expect.stringContaining(`${PAGE}?done=tokenCreated&once=`),
    ]);
    const shown = await textOf(client);
    const token = tokenIn(shown);
    expect(tokenIn(await textOf(client))).toBeUndefined();
    const verify = () => app().client().post('/api/tokens/verify', { token });
    expect((await verify()).body).toMatchObject({ tokenValid: true, permissions: { scope: 'write' } });
    const revocation = formOf(shown, REVOKE);
    expect((await submit(client, revocation)).headers.location).toBe(`${PAGE}?done=tokenRevoked`);

    expect((await verify()).body.tokenValid).toBe(false);
    expect((await submit(client, revocation)).status).toBe(404);
    expect((await submit(client, revocation, { id: 'x' })).status).toBe(400);
  });

  test('each of several tabs shows the token that was created in it, whatever pages are opened in between', async () => {
    const client = await app().signIn(await app().seedUser());
    const form = formOf(await textOf(client), PAGE);
    const names = ['one', 'two', 'three'];
    const places: string[] = [];
    for (const name of names) places.push(String((await submit(client, form, { name })).headers.location));

    for (const path of ['', '/two-step', '/connections']) await client.page(PROFILE + path);
    const other = await textOf(client, `${PAGE}?once=of-another-tab`);
    const shown: string[] = [];
    for (const place of places) shown.push(await textOf(client, place));

    expect(tokenIn(other)).toBeUndefined();
    expect(new Set(shown.map(tokenIn)).size).toBe(3);
    for (const [at, name] of names.entries()) expect(shown[at]).toContain(name);
    for (const place of places) expect(tokenIn(await textOf(client, place))).toBeUndefined();
  });

  test('the browser keeps at most five tokens that no page has shown yet', async () => {
    const client = await app().signIn(await app().seedUser());
    const form = formOf(await textOf(client), PAGE);
    for (let made = 0; made < 8; made += 1) await submit(client, form, { name: `token ${made}` });

    expect([...client.jar.keys()].filter((name) => name.startsWith('shown_once.')).length).toBe(5);
    expect(tokenIn(await textOf(client))).toBeDefined();
  });

  test('a token shows its applications by their names', async () => {
    const { key } = await registerRelyingParty(app(), { name: 'Wiki of the team' });
    const client = await app().signIn(await app().seedUser({ apps: ['authsvc', key] }));

    await submit(client, formOf(await textOf(client), PAGE), { name: 'Backups', allowed_apps: key });

    const shown = await textOf(client);
    expect(shown).toContain('<bdi data-soft>Wiki of the team</bdi>');
    expect(shown).not.toContain(`<bdi data-soft>${key}</bdi>`);
  });

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(256) }],
    ['scope', { scope: 'everything' }],
    ['expires-days', { expiresDays: '0' }],
    ['expires-days', { expiresDays: '3651' }],
    ['expires-days', { expiresDays: 'soon' }],
  ])('a wrong %s is refused below its field, and the other values stay: %j', async (id, wrong) => {
    const client = await app().signIn(await app().seedUser());

    const refused = await submit(client, formOf(await textOf(client), PAGE), { name: 'My <token>', ...wrong });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`id="${id}-error">`);
    if (id !== 'name') expect(refused.text).toContain('value="My &lt;token&gt;"');
  });

  test('only superadmins can select the scope admin, and they must confirm it', async () => {
    const user = await app().signIn(await app().seedUser());
    const wanted = { name: 'Sync', scope: 'admin' };
    expect((await submit(user, formOf(await textOf(user), PAGE), wanted)).status).toBe(403);
    const client = await unconfirmed(app(), await app().seedUser({ role: 'superadmin' }));

    const asked = await submit(client, formOf(await textOf(client), PAGE), wanted);
    expect(asked.status).toBe(403);
    const pending = formOf(asked.text, PAGE, wanted);
    expect((await submit(client, pending, { password: PASSWORD })).status).toBe(303);

    expect(tokenIn(await textOf(client))).toBeDefined();
  });

  test('an e-mail address is added, is shown as not confirmed, and is removed', async (t) => {
    const mail = await startApp(t, {
      database,
      settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Harbour <harbour@example.com>' },
    });
    const client = await mail.signIn(await mail.seedUser());
    const form = formOf(await textOf(client, PROFILE), `${PROFILE}/email`);

    const refused = await submit(client, form, { email: 'ada' });
    expect([refused.status, /id="email-error">/.test(refused.text)]).toEqual([400, true]);
    const sent = await submit(client, form, { email: 'ada@example.org' });
    expect(sent.headers.location).toBe(`${PROFILE}?done=emailOffered`);
    expect((await accountOf(client)).email_pending).toBe('ada@example.org');
    const pending = await textOf(client, PROFILE);
    expect(pending).toContain('ada@example.org is not confirmed yet');
    await submit(client, formOf(pending, `${PROFILE}/email/remove`));

    expect((await accountOf(client)).email_pending).toBeNull();
    const without = await app().signIn(await app().seedUser());
    expect((await textOf(without, PROFILE)).includes(`${PROFILE}/email`)).toBe(false);
    const _csrf = await without.csrf(PROFILE);
    expect((await submit(without, { action: `${PROFILE}/email`, fields: { _csrf } })).status).toBe(404);
  });
});
