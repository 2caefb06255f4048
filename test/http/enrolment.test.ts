import { expect, test } from 'vitest';
import { confirmEnrolment, startEnrolment } from '../../src/factors/enrol-totp.ts';
import { toTotpDraft } from '../../src/factors/schemas.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { authenticationOfSession, deleteSession } from '../../src/sessions/queries.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import type { SeededUser, TestApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode, wrongCode, wrongCodes } from '../support/totp.ts';
import { sharedApp } from './support.ts';

const settings = { AUTHSVC_TWO_FA_ENABLE: 'true' };

/** Returns the id of a client's session. */
async function sessionIdOf(client: Client): Promise<string> {
  const { body } = await client.get('/authsvc/api/account-sessions');
  return String(Object(body).current_session_id);
}

/** Starts to set up an authenticator app for a user in a browser. */
async function enrolling(app: TestApp, user: SeededUser) {
  const client = await app.signIn(user);
  const sessionId = await sessionIdOf(client);
  const { dataSealer } = app.services;
  return {
    client,
    sessionId,
    start: () => startEnrolment({ ...app.change(), dataSealer }, { user, sessionId }),
    confirm: (code: string) => confirmEnrolment({ ...app.change(), dataSealer }, { user, sessionId, code }),
  };
}

const refusal = (code: string) => expect.objectContaining({ code });

eachDatabase('setting up an authenticator app', (database) => {
  const app = sharedApp({ database, settings });

  test('a new authenticator app is a draft, and not a second factor, until one of its codes is entered', async () => {
    const user = await app().seedUser();
    const { client, start, confirm } = await enrolling(app(), user);

    const draft = await start();
    await expect(confirm(wrongCode(app(), draft.secret))).rejects.toEqual(refusal('TOTP_CODE_INCORRECT'));
    expect((await app().client().login(user)).body).toEqual({
      success: true,
      message: 'Login successful',
      redirect_url: '/authsvc/',
    });
    const code = codeOf(app(), draft.secret);
    const recoveryCodes = await confirm(code);

    expect(new Set(recoveryCodes).size).toBe(10);
    expect(await client.isSignedIn()).toBe(true);
    const next = app().client();
    expect((await next.login(user)).body).toEqual({ success: true, two_factor_required: true });
    expect((await sendCode(next, code)).status).toBe(401);
    expect((await sendCode(next, codeOf(app(), draft.secret, 1))).status).toBe(200);
  });

  test('a draft shows the names of the application and the user, with a QR code', () => {
    const draft = { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', expiresAt: 0 };

    const view = toTotpDraft(draft, { application: app().services.settings, username: 'ada' });

    expect(new URL(view.otpauth_url).searchParams.get('secret')).toBe(draft.secret);
    expect(decodeURIComponent(view.otpauth_url)).toContain(':ada?');
    expect(view.qr_svg).toMatch(/^<svg [^>]*viewBox[\s\S]*<\/svg>$/);
    expect(view.expires_at).toBe('1970-01-01T00:00:00.000Z');
  });

  test('a draft ends after ten minutes, after five attempts, with its session, or when a newer one replaces it', async () => {
    const one = await enrolling(app(), await app().seedUser());
    const former = await one.start();
    const draft = await one.start();
    await expect(one.confirm(codeOf(app(), former.secret))).rejects.toEqual(refusal('TOTP_CODE_INCORRECT'));
    for (const code of ['', 'abcdef', ...wrongCodes(app(), draft.secret).slice(0, 2)])
      await expect(one.confirm(code)).rejects.toEqual(refusal('TOTP_CODE_INCORRECT'));
    await expect(one.confirm(codeOf(app(), draft.secret))).rejects.toEqual(refusal('TOTP_NOT_STARTED'));

    const two = await enrolling(app(), await app().seedUser());
    const { secret } = await two.start();
    await deleteSession.all(app().services.database, { id: two.sessionId });
    await expect(two.confirm(codeOf(app(), secret))).rejects.toEqual(refusal('TOTP_NOT_STARTED'));
    await expect(two.start()).rejects.toEqual(refusal('NOT_SIGNED_IN'));

    const three = await enrolling(app(), await app().seedUser());
    const late = await three.start();
    app().clock.advance(10 * MINUTE_MS);
    await expect(three.confirm(codeOf(app(), late.secret))).rejects.toEqual(refusal('TOTP_NOT_STARTED'));
  });

  test('a draft belongs to one session, and stays with it when the session gets a new id', async () => {
    const user = await app().seedUser();
    const [one, other] = [await enrolling(app(), user), await enrolling(app(), user)];
    const { secret } = await one.start();

    await expect(other.confirm(codeOf(app(), secret))).rejects.toEqual(refusal('TOTP_NOT_STARTED'));
    await one.client.login(await app().seedUser());
    await one.client.post('/authsvc/api/switch-session', { session_id: one.sessionId });
    const sessionId = await sessionIdOf(one.client);
    const { dataSealer } = app().services;
    const code = codeOf(app(), secret);
    const codes = await confirmEnrolment({ ...app().change(), dataSealer }, { user, sessionId, code });

    expect(sessionId).not.toBe(one.sessionId);
    expect(codes).toHaveLength(10);
  });

  test('an old app works until the new one is confirmed, which ends the old app, its recovery codes and other drafts', async () => {
    const carol = await seedSecondFactorUser(app());
    const signIn = async (code: string) => {
      const client = app().client();
      await client.login(carol);
      return (await sendCode(client, code)).status;
    };
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret, -1));
    const sessionId = await sessionIdOf(client);
    const { dataSealer } = app().services;
    const enrolment = { user: carol, sessionId };
    const draft = await startEnrolment({ ...app().change(), dataSealer }, enrolment);
    expect(await signIn(codeOf(app(), carol.secret))).toBe(200);

    const attempts = [1, 2].map(() =>
      confirmEnrolment({ ...app().change(), dataSealer }, { ...enrolment, code: codeOf(app(), draft.secret) }),
    );
    const outcomes = await Promise.allSettled(attempts);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await signIn(codeOf(app(), carol.secret, 1))).toBe(401);
    expect(await signIn(carol.recoveryCodes[0] ?? '')).toBe(401);
    expect(await signIn(codeOf(app(), draft.secret, 1))).toBe(200);
    const changes = app()
      .log()
      .filter(({ audit, subject_id }) => audit === 'factor.changed' && subject_id === carol.id)
      .map(({ details }) => details);
    expect(changes.at(-1)).toEqual({ kind: 'totp', change: 'renewed' });
  });

  test('a session records when and with what methods its user signed in', async () => {
    const start = app().clock.now();
    const read = async (client: Client) => {
      const id = await sessionIdOf(client);
      const row = await authenticationOfSession.first(app().services.database, { id });
      expect(row?.authenticated_at).toBeGreaterThanOrEqual(start);
      return row?.amr;
    };
    const carol = await seedSecondFactorUser(app());
    const [byCode, byRecovery, trusting] = [app().client(), app().client(), app().client()];
    for (const client of [byCode, byRecovery, trusting]) await client.login(carol);
    await sendCode(byCode, codeOf(app(), carol.secret, -1));
    await sendCode(byRecovery, carol.recoveryCodes[0]);
    await sendCode(trusting, codeOf(app(), carol.secret), { trust_device: true });
    await trusting.login(carol);

    expect(await read(await app().signIn(await app().seedUser()))).toBe('["pwd"]');
    expect(await read(byCode)).toBe('["pwd","otp","mfa"]');
    expect(await read(byRecovery)).toBe('["pwd","otp","mfa"]');
    expect(await read(trusting)).toBe('["pwd"]');
  });
});
