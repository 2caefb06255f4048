import { expect, test } from 'vitest';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { formOf, submit } from '../support/forms.ts';
import { accountOf, unconfirmed } from '../support/my-account.ts';
import { PASSWORD, startApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode, wrongCode } from '../support/totp.ts';
import { sharedApp } from './support.ts';

const PAGE = '/authsvc/account/two-step';
const [VERIFY, CODES, OFF, TRUSTS] = ['verify', 'recovery-codes', 'off', 'trusted-devices'].map(
  (one) => `${PAGE}/${one}`,
);

eachDatabase('the page of two-step sign-in, without scripts', (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });
  const textOf = async (client: Client, path = PAGE) => (await client.page(path)).text;
  const placeOf = ({ status, headers }: Reply) => [status, headers.location];
  const secretIn = (html: string) => /id="secret"[^>]*>([A-Z2-7]+)</.exec(html)?.[1] ?? '';
  const codesIn = (html: string) => (/id="codes"[^>]*>([^<]*)</.exec(html)?.[1] ?? '').split('\n').filter(Boolean);

  test('an app is set up: QR code and key, a wrong code, the right code, and the recovery codes once', async () => {
    const client = await app().signIn(await app().seedUser());

    expect(placeOf(await submit(client, formOf(await textOf(client), PAGE)))).toEqual([303, PAGE]);
    const draft = await textOf(client);
    const secret = secretIn(draft);
    expect(draft).toContain('src="data:image/svg+xml,');
    const wrong = await submit(client, formOf(draft, String(VERIFY)), { token: wrongCode(app(), secret) });
    expect([wrong.status, secretIn(wrong.text)]).toEqual([403, secret]);
    expect(wrong.text).toMatch(/id="token-error">/);
    const token = codeOf(app(), secret).replace(/^.../, '$& ');
    const [status, place] = placeOf(await submit(client, formOf(draft, String(VERIFY)), { token }));
    expect([status, place]).toEqual([303, expect.stringContaining(`${PAGE}?done=factorOn&once=`)]);

    const shown = await textOf(client, String(place));
    expect(new Set(codesIn(shown)).size).toBe(10);
    expect(formOf(shown, '/authsvc/account/sessions').fields.others).toBe('true');
    const later = await textOf(client);
    expect([codesIn(later), later.includes('10 recovery codes')]).toEqual([[], true]);
    expect((await accountOf(client)).two_factor_enabled).toBe(true);
  });

  test('an app that is not confirmed yet (a draft) is shown only in the session that began it; a code without a draft is refused with advice to begin', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    const other = await app().signIn(ada);
    await submit(client, formOf(await textOf(client), PAGE));

    expect(secretIn(await textOf(other))).toBe('');
    const form = formOf(await textOf(client), String(VERIFY));
    const late = await submit(other, form, { _csrf: await other.csrf(PAGE), token: '123456' });
    expect(late.status).toBe(409);
  });

  test('without a confirmation the page asks for the password first', async () => {
    const client = await unconfirmed(app(), await app().seedUser());

    const asked = await submit(client, formOf(await textOf(client), PAGE));
    expect(asked.status).toBe(403);
    const begun = await submit(client, formOf(asked.text, PAGE), { password: PASSWORD });

    expect(placeOf(begun)).toEqual([303, PAGE]);
    expect(secretIn(await textOf(client))).not.toBe('');
  });

  test('recovery codes can be replaced, trust in browsers can be ended, and the second step can be turned off', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret), { trust_device: true });

    expect(placeOf(await submit(client, formOf(await textOf(client), String(CODES))))[0]).toBe(303);
    const codes = codesIn(await textOf(client));
    expect(codes).toHaveLength(10);
    const trust = formOf(await textOf(client), String(TRUSTS));
    expect((await submit(client, trust)).headers.location).toBe(`${PAGE}?done=trustEnded`);
    expect((await submit(client, trust)).status).toBe(404);
    const off = formOf(await textOf(client), String(OFF));
    expect((await submit(client, off)).headers.location).toBe(`${PAGE}?done=factorOff`);

    expect((await submit(client, off)).status).toBe(409);
    expect((await accountOf(client)).two_factor_enabled).toBe(false);
  });

  test('a user with a second factor confirms by a code, and a wrong code is refused below its field', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret, -1), { trust_device: true });
    const trusting = client.clone();
    await trusting.login(carol);

    const asked = await submit(trusting, formOf(await textOf(trusting), String(OFF)));
    expect(asked.status).toBe(403);
    const pending = formOf(asked.text, String(OFF));
    const wrong = await submit(trusting, pending, { token: wrongCode(app(), carol.secret) });
    expect([wrong.status, /id="token-error">/.test(wrong.text)]).toEqual([403, true]);
    const done = await submit(trusting, pending, { token: codeOf(app(), carol.secret) });

    expect(done.headers.location).toBe(`${PAGE}?done=factorOff`);
  });

  test('if second factors are off, there is no menu entry, and the forms are refused', async (t) => {
    const plain = await startApp(t, { database });
    const client = await plain.signIn(await plain.seedUser());

    expect((await client.page('/authsvc/account')).text).not.toContain(PAGE);
    const _csrf = await client.csrf('/authsvc/account');
    expect((await submit(client, { action: PAGE, fields: { _csrf } })).status).toBe(403);
  });

  test('if the service requires a second factor, the page offers no way to turn it off, and says why', async (t) => {
    const own = await startApp(t, {
      database,
      settings: { AUTHSVC_TWO_FA_ENABLE: 'true', SECOND_FACTOR: 'superadmin' },
    });
    const offers = async (role: 'superadmin' | 'normaluser') => {
      const user = await seedSecondFactorUser(own, { role });
      const client = own.client();
      await client.login(user);
      await sendCode(client, codeOf(own, user.secret));
      const html = await textOf(client);
      return [html.includes(`action="${OFF}"`), html.includes('so you cannot turn it off')];
    };

    expect(await offers('superadmin')).toEqual([false, true]);
    expect(await offers('normaluser')).toEqual([true, false]);
  });
});
