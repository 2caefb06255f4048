import { expect, test } from 'vitest';
import { revokeAnyToken } from '../../src/api-tokens/revoke-token.ts';
import type { Client } from '../support/client.ts';
import { type Codes, createToken, poll, requestToken, seedProfile, verify } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import type { SeededUser } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

interface Made {
  token: string;
  id: number;
}

eachDatabase('a token that another token has approved', (database) => {
  const app = sharedApp({ database });

  const approve = (by: string, { userCode }: Codes) =>
    app()
      .client()
      .request('POST', '/api/cli/device/approve', {
        json: { user_code: userCode, action: 'approve' },
        headers: { authorization: `Bearer ${by}` },
      });

  /** Creates a token by a device login that `parent` approves. It is the newest token of the user. */
  async function childOf(parent: Made, user: SeededUser, profileKey: string): Promise<Made> {
    const program = app().client();
    const codes = await requestToken(program, profileKey);
    expect((await approve(parent.token, codes)).status).toBe(200);
    const { body } = await poll(program, codes);
    const { kysely } = app().services.database;
    const { id } = await kysely
      .selectFrom('api_tokens')
      .select((value) => value.fn.max('id').as('id'))
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow();
    return { token: String(body.token), id: Number(id) };
  }

  /** Creates three tokens, of which each has approved the next, and one token that is not related to them. */
  async function family() {
    const user = await app().seedUser({ role: 'superadmin' });
    const browser = await app().signIn(user);
    const { key } = await seedProfile(app(), { scope: 'write' });
    const first = await createToken(browser, { scope: 'write' });
    const second = await childOf(first, user, key);
    const third = await childOf(second, user, key);
    const beside = await createToken(browser, { scope: 'write' });
    return { user, browser, key, first, second, third, beside };
  }

  const areValid = (client: Client, tokens: readonly Made[]) =>
    Promise.all(tokens.map(async ({ token }) => (await verify(client, token)).body.tokenValid));

  const ways: [string, (browser: Client, token: Made) => Promise<unknown>][] = [
    ['its user', (browser, { id }) => browser.delete(`/api/token/${id}`)],
    ['its holder', (_browser, { token }) => app().client().post('/api/tokens/revoke', { token })],
    ['a superadmin', (browser, { id }) => browser.delete(`/api/admin/api-tokens/${id}`)],
    ['an operator', (_browser, { id }) => revokeAnyToken(app().change(), id, 'command')],
  ];
  test.each(ways)('ends when %s revokes the token that approved it, or any token further up', async (_who, revoke) => {
    const { browser, first, second, third, beside } = await family();
    const all = [first, second, third, beside];
    expect(await areValid(browser, all)).toEqual([true, true, true, true]);

    await revoke(browser, second);
    expect(await areValid(browser, all)).toEqual([true, false, false, true]);
    await revoke(browser, first);

    expect(await areValid(browser, all)).toEqual([false, false, false, true]);
  });

  test('names its parent in the lists and in the audit log', async () => {
    const { user, browser, first, second, third, beside } = await family();
    const { body } = await browser.get(`/api/admin/api-tokens/${user.username}`);
    await browser.delete(`/api/token/${first.id}`);

    const tokens: { id: number; parent_id: number | null }[] = Array.isArray(body.tokens) ? body.tokens : [];
    expect(tokens.map(({ id, parent_id }) => [id, parent_id])).toEqual([
      [first.id, null],
      [second.id, first.id],
      [third.id, second.id],
      [beside.id, null],
    ]);
    const details = (audit: string) =>
      app()
        .log()
        .filter((line) => line.audit === audit && line.subject_id === user.id)
        .map((line) => Object(line.details));
    expect(details('device.approved').map(({ token_id }) => token_id)).toEqual([first.id, second.id]);
    expect(details('token.created').map(({ parent_token_id }) => parent_token_id)).toEqual([
      undefined,
      first.id,
      second.id,
      undefined,
    ]);
    expect(details('token.revoked')).toMatchObject([{ token_id: first.id }]);
    expect([...details('token.revoked')[0].children].sort()).toEqual([second.id, third.id].sort());
  });

  test('ends with its parent even if programs fetch their tokens at the same moment', async () => {
    const { user, browser, key, beside } = await family();
    const program = app().client();
    const codes = await Promise.all(Array.from({ length: 8 }, () => requestToken(program, key)));
    for (const one of codes) expect((await approve(beside.token, one)).status).toBe(200);

    const [, ...polls] = await Promise.all([
      browser.delete(`/api/token/${beside.id}`),
      ...codes.map((one) => poll(program, one)),
    ]);

    expect(polls.map(({ status }) => status)).toEqual(codes.map(() => 200));
    const fetched = polls.flatMap(({ body }) => (body.token ? [{ token: String(body.token), id: 0 }] : []));
    expect(await areValid(program, fetched)).toEqual(fetched.map(() => false));
    const { kysely } = app().services.database;
    const left = await kysely
      .selectFrom('api_tokens')
      .select('id')
      .where('user_id', '=', user.id)
      .where('parent_id', '=', beside.id)
      .execute();
    expect(left).toEqual([]);
  });
});
