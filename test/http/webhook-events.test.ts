import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { removeApplication } from '../../src/applications/remove-application.ts';
import { enableSecondFactor } from '../../src/factors/second-factor.ts';
import { linkAccount } from '../../src/social/link-account.ts';
import { changePassword } from '../../src/users/change-password.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import { addWebhook } from '../../src/webhooks/add-webhook.ts';
import { webhookEvents } from '../../src/webhooks/webhook.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { sharedApp } from './support.ts';

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
/** Long enough for a busy machine. Every wait ends as soon as its condition is true. */
const patience = { timeout: 60_000, interval: 20 };

eachDatabase('the events of a webhook', (database) => {
  const app = sharedApp({ database, settings: { WEBHOOK_PRIVATE_NETWORKS: 'on' } });
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    const change = { ...app().change(), dataSealer: app().services.dataSealer };
    await addWebhook(change, app().services.settings, { url: receiver.url, events: ['*'] });
  });
  afterEach(() => receiver.close());

  const change = () => app().change();
  const told = (count: number) =>
    vi.waitFor(() => {
      expect(receiver.got.length).toBe(count);
      return receiver.got.map(({ message: { type, data } }) => ({ type, data }));
    }, patience);

  test('about a user come once for each change, in order, with the user after the change', async () => {
    const { services } = app();
    const user = await app().seedUser({ fullName: 'Ada' });
    const browser = await app().signIn(user);
    const { id: tokenId } = await createToken(browser);
    await browser.request('DELETE', `/api/token/${tokenId}`);
    await browser.logout();
    await changeUser(change(), user.username, { fullName: 'Ada L.' });
    await changeUser(change(), user.username, { fullName: 'Ada L.' });
    await linkAccount(change(), { provider: 'codehost', accountId: user.username, user });
    await enableSecondFactor({ ...change(), dataSealer: services.dataSealer }, user, SECRET);
    const passwords = { passwords: services.passwords, application: services.settings };
    await changePassword({ ...change(), ...passwords }, { user, password: 'another-horse-8', way: 'command' });
    await changeUser(change(), user.username, { fullName: 'Ada B.', isActive: false });
    await changeUser(change(), user.username, { isActive: true });
    await removeUser(change(), user);

    const all = await told(12);

    const facts = all.map(({ type, data }) => ({ type, ...Object(data.details), ...Object(data.user) }));
    expect(facts).toMatchObject([
      { type: 'user.created', full_name: 'Ada', role: 'normaluser' },
      { type: 'user.signed_in', method: 'password', second_factor: 'none' },
      { type: 'token.created', token_id: tokenId, scope: 'read-only' },
      { type: 'token.revoked', token_id: tokenId },
      { type: 'session.ended', sessions: 1 },
      { type: 'user.updated', fields: ['full_name'], full_name: 'Ada L.' },
      { type: 'connection.changed', provider: 'codehost', change: 'added' },
      { type: 'factor.changed', kind: 'totp', change: 'added', two_factor_enabled: true },
      { type: 'password.changed', way: 'command', sessions_ended: 0 },
      { type: 'user.deactivated', full_name: 'Ada B.', is_active: false },
      { type: 'user.reactivated', is_active: true },
      { type: 'user.removed', full_name: 'Ada B.' },
    ]);
    for (const { data } of all)
      expect(data).toMatchObject({ id: expect.any(Number), subject_id: user.id, subject_name: user.username });
    const types = all.map(({ type }) => type);
    expect(webhookEvents.filter((type) => !types.includes(type))).toEqual(['application.changed']);
    for (const { body } of receiver.got) expect(body).not.toMatch(new RegExp(`argon2|tok_|${SECRET}|-horse-`));
  });

  test('about an application contain no user and no secret', async () => {
    const { settings } = app().services;
    const key = `wiki-${database}`;
    const { secret = '' } = await addApplication(change(), settings, { key, name: 'Wiki' });
    await changeApplication(change(), settings, key, { isActive: false });
    await removeApplication(change(), key);

    const all = await told(3);

    expect(all.map(({ type, data }) => [type, data.application, data.user, data.subject_id])).toEqual(
      all.map(() => ['application.changed', key, null, null]),
    );
    expect(all.map(({ data }) => Object(data.details).change)).toEqual(['created', 'disabled', 'removed']);
    for (const { body } of receiver.got) expect(body).not.toContain(secret);
  });
});
