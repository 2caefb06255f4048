import { expect, test } from 'vitest';
import { setPasswordHash } from '../../src/users/queries.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { formOf, submit } from '../support/forms.ts';
import { unconfirmed } from '../support/my-account.ts';
import { PASSWORD } from '../support/start-app.ts';
import { sharedSocialWorld } from './social-support.ts';

const PAGE = '/authsvc/account/connections';
const [LINK, UNLINK] = [`${PAGE}/link`, `${PAGE}/unlink`];

eachDatabase("the page of a user's own provider accounts, without scripts", (database) => {
  const world = sharedSocialWorld(database);
  const app = () => world().app;
  const textOf = async (client: Client, path = PAGE) => (await client.page(path)).text;

  test('the form for a new link sends the browser to the provider once, and only in the session that sent the form', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    const form = formOf(await textOf(client), LINK, { provider: 'codehost' });

    const sent = await submit(client, form);
    const place = String(sent.headers.location);
    expect([sent.status, place]).toEqual([303, expect.stringContaining(`${PAGE}?once=`)]);
    const other = await app().signIn(ada);
    for (const [name, value] of client.jar) if (name.startsWith('shown_once.')) other.jar.set(name, value);
    expect((await other.page(place)).headers.refresh).toBeUndefined();
    const onward = await client.page(place);
    const url = String(onward.headers.refresh).replace(/^0;url=/, '');
    expect(onward.text).toContain(`href="${url.replaceAll('&', '&amp;')}"`);
    world().codehost.user = { id: 8101 };
    await client.page(world().codehost.agree(url));

    const again = await client.page(PAGE);
    expect(again.headers.refresh).toBeUndefined();
    expect(again.text).toContain('8101');
  });

  test('without a confirmation the page asks for the password and then makes the change', async () => {
    const ada = await world().linkedUser('codehost', '8102');
    const client = await unconfirmed(app(), ada);
    const form = formOf(await textOf(client), UNLINK);

    const asked = await submit(client, form);
    expect(asked.status).toBe(403);
    const pending = formOf(asked.text, UNLINK, { provider: 'codehost' });
    expect(pending.fields.password).toBe('');
    const wrong = await submit(client, pending, { password: 'wrong-horse-1' });
    expect(wrong.status).toBe(403);
    expect(wrong.text).toMatch(/id="password-error">/);
    expect(wrong.text).not.toContain('wrong-horse-1');
    expect(await textOf(client)).toContain('8102');
    const done = await submit(client, formOf(wrong.text, UNLINK), { password: PASSWORD });

    expect([done.status, done.headers.location]).toEqual([303, `${PAGE}?done=unlinked`]);
    const after = await textOf(client, `${PAGE}?done=unlinked`);
    expect(after).not.toContain('8102');
    expect(after).toContain('disconnected');
  });

  test('the last way to sign in cannot be removed, and unknown links and providers get 404', async () => {
    const ada = await world().linkedUser('codehost', '8103');
    const client = await app().signIn(ada);
    const form = formOf(await textOf(client), UNLINK);
    await setPasswordHash.run(app().services.database, { id: ada.id, hash: '' });

    const refused = await submit(client, form);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('last');
    expect((await submit(client, form, { provider: 'websso' })).status).toBe(404);
    expect((await submit(client, { ...form, action: LINK }, { provider: 'nothing' })).status).toBe(404);
    expect((await submit(client, { ...form, action: LINK }, { provider: 'codehost' })).status).toBe(409);
    expect((await submit(client, form, { _csrf: 'x' })).status).toBe(403);
  });

  test('a user without a password confirms by signing in again', async () => {
    const ada = await world().linkedUser('codehost', '8104');
    const client = await unconfirmed(app(), ada);
    await setPasswordHash.run(app().services.database, { id: ada.id, hash: '' });

    const asked = await submit(client, formOf(await textOf(client), LINK, { provider: 'websso' }));

    expect(asked.status).toBe(403);
    expect(asked.text).toContain(`/authsvc/api/codehost/login?redirect=${encodeURIComponent(PAGE)}`);
  });
});
