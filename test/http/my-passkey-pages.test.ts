import { expect, test } from 'vitest';
import { setPasswordHash } from '../../src/users/queries.ts';
import { authenticatorFor, passkeySignIn, seedPasskey, seedPasskeyUser } from '../support/authenticator.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { formOf, submit } from '../support/forms.ts';
import { unconfirmed } from '../support/my-account.ts';
import { PASSWORD, startApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const PAGE = '/authsvc/account/passkeys';
const [RENAME, REMOVE] = [`${PAGE}/rename`, `${PAGE}/remove`];

eachDatabase("the page of the user's own passkeys, without scripts", (database) => {
  const app = sharedApp({ database });
  const textOf = async (client: Client, path = PAGE) => (await client.page(path)).text;

  test('a passkey can be renamed, and an invalid name is shown again with its error', async () => {
    const ada = await app().seedUser();
    await seedPasskey(app(), ada, authenticatorFor(app()));
    const client = await app().signIn(ada);
    const form = formOf(await textOf(client), RENAME);

    const refused = await submit(client, form, { name: 'x'.repeat(65) });
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/id="name-0-error">/);
    const renamed = await submit(client, form, { name: 'My <phone>' });

    expect([renamed.status, renamed.headers.location]).toEqual([303, `${PAGE}?done=passkeyRenamed`]);
    expect(await textOf(client)).toContain('My &lt;phone&gt;');
    expect((await submit(client, form, { ref: 'x'.repeat(22) })).status).toBe(404);
  });

  test('a form that needs a confirmation waits for it, and a passkey alone cannot confirm without scripts', async () => {
    const ada = await app().seedUser();
    await seedPasskey(app(), ada, authenticatorFor(app()));
    const client = await unconfirmed(app(), ada);

    const asked = await submit(client, formOf(await textOf(client), REMOVE));
    expect(asked.status).toBe(403);
    const done = await submit(client, formOf(asked.text, REMOVE), { password: PASSWORD });

    expect([done.status, done.headers.location]).toEqual([303, `${PAGE}?done=passkeyRemoved`]);
    expect(await textOf(client)).toContain('No passkeys');
  });

  test('the last way to sign in cannot be removed, and the passkey of another user is unknown', async () => {
    const { user, authenticator } = await seedPasskeyUser(app());
    await setPasswordHash.run(app().services.database, { id: user.id, hash: '' });
    const client = app().client();
    await passkeySignIn(client, authenticator);
    const form = formOf(await textOf(client), REMOVE);

    expect((await submit(client, form)).status).toBe(409);
    const other = await app().signIn(await app().seedUser());
    expect((await submit(other, form, { _csrf: await other.csrf(PAGE) })).status).toBe(404);
  });

  test('with PASSKEYS=off the page and its menu entry do not exist', async (t) => {
    const off = await startApp(t, { database, settings: { PASSKEYS: 'off' } });
    const client = await off.signIn(await off.seedUser());

    expect((await client.page(PAGE)).status).toBe(404);
    expect((await client.page('/authsvc/account')).text).not.toContain(PAGE);
    expect((await client.page('/authsvc/account')).text).not.toContain('/authsvc/account/connections');
  });
});
