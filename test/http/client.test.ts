// Tests the client of packages/client against the real service.
import { createClient } from 'authsvc-client/device';
import type { Static } from 'typebox';
import { expect, expectTypeOf, test } from 'vitest';
import type * as wire from '../../packages/client/src/wire.ts';
import type { TokenProof } from '../../src/api-tokens/schemas.ts';
import type { Poll } from '../../src/device-login/poll-request.ts';
import type { PollReply, StartedReply } from '../../src/device-login/schemas.ts';
import type { sessionProof } from '../../src/sessions/schemas.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { sharedApp } from './support.ts';

test('the types of the replies match those that the client reads', () => {
  expectTypeOf<StartedReply>().toExtend<wire.StartedReply>();
  expectTypeOf<PollReply>().toExtend<wire.PollReply>();
  expectTypeOf<TokenProof>().toExtend<wire.TokenReply>();
  expectTypeOf<Static<typeof sessionProof>>().toExtend<wire.SessionReply>();
  expectTypeOf<Exclude<Poll['state'], 'delivered'>>().toExtend<wire.PollStatus>();
});

eachDatabase('the authsvc client', (database) => {
  const shared = sharedApp({ database });

  test('names the user of a session and of a token until they end', async () => {
    const app = shared();
    const client = createClient({ server: app.url });
    const ada = await app.seedUser();
    const browser = await app.signIn(ada);
    const cookie = browser.jar.get('session_id');
    const { token } = await createToken(browser, { scope: 'write' });

    expect(await client.verifySession(cookie)).toMatchObject({ username: ada.username, role: 'normaluser' });
    expect(await client.verifyToken(token)).toMatchObject({ username: ada.username, scope: 'write' });

    await client.revokeToken(token);
    await client.revokeToken(token);
    await browser.post('/authsvc/api/logout-all');

    expect(await client.verifyToken(token)).toBeUndefined();
    expect(await client.verifySession(cookie)).toBeUndefined();
  });

  test.each([
    'garbage',
    'abc',
    'v1.',
    `v1.${'A'.repeat(200)}`,
    'tok_',
    `tok_${'g'.repeat(64)}`,
    `tok_${'0'.repeat(65)}`,
    '00000000-0000-4000-8000-000000000000',
    '%00',
    'x'.repeat(4096),
    'x'.repeat(100_000),
    '\0',
    '\ud800',
    '',
  ])('treats a text that was never issued as neither a session nor a token (%#)', async (text) => {
    const client = createClient({ server: shared().url });

    expect(await client.verifySession(text)).toBeUndefined();
    expect(await client.verifyToken(text)).toBeUndefined();
    expect(await client.revokeToken(text)).toBeUndefined();
  });

  test('reports a refusal with the status and the error code of the service', async () => {
    const login = createClient({ server: shared().url }).startLogin({ profileKey: 'no-such-profile', clientName: 'x' });

    await expect(login).rejects.toMatchObject({ reason: 'refused', status: 400, code: 'PROFILE_UNKNOWN' });
  });
});
