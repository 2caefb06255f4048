import { expect, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import type { Reply } from '../support/client.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { expectError, sharedApp } from './support.ts';

const WEBHOOKS = '/authsvc/api/admin/webhooks';
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const fieldsOf = (value: unknown): Record<string, unknown> => Object(value);
const webhookOf = (reply: Reply) => fieldsOf(reply.body.webhook);
const itemsOf = (reply: Reply): Record<string, unknown>[] => (Array.isArray(reply.body.items) ? reply.body.items : []);

eachDatabase('webhooks as JSON', (database) => {
  const app = sharedApp({ database, settings: { WEBHOOK_PRIVATE_NETWORKS: 'on', RATE_LIMITS: 'off', env: 'dev' } });
  const strict = sharedApp({ database, settings: { RATE_LIMITS: 'off', env: 'dev' } });
  const tokens: Promise<string>[] = [];
  const getToken = async (of: typeof app) => {
    const root = await of().seedUser({ role: 'superadmin' });
    return String((await createToken(await of().signIn(root), { scope: 'admin' })).token);
  };
  const ownToken = async (): Promise<string> => {
    if (tokens.length === 0) tokens.push(getToken(app));
    return (await tokens[0]) ?? '';
  };
  const ask = async (method: Method, path: string, json?: unknown) => {
    const authorization = `Bearer ${await ownToken()}`;
    return app()
      .client()
      .request(method, WEBHOOKS + path, { ...(json === undefined ? {} : { json }), headers: { authorization } });
  };
  const url = 'https://hooks.example.com/a';

  test('can be added, shown without their secret, changed and removed', async () => {
    await addApplication(app().change(), app().services.settings, { key: 'crm', name: 'CRM' });
    const added = await ask('POST', '', {
      url,
      events: ['user.created', 'user.created'],
      app: 'CRM',
      description: 'x',
    });
    expect(added.status).toBe(201);
    expect(added.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const webhook = webhookOf(added);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-f]{24}$/),
      url,
      events: ['user.created'],
      app: 'crm',
      description: 'x',
      is_active: true,
      created_at: expect.stringMatching(/Z$/),
      last_delivered_at: null,
      failing_since: null,
    });
    const path = `/${webhook.id}`;
    const shown = await ask('GET', path);
    expect(webhookOf(shown)).toEqual(webhook);
    expect(shown.text).not.toContain(String(added.body.secret).slice(6));

    const changed = await ask('PATCH', path, { events: ['*', 'user.created'], app: null, is_active: false });
    expect(webhookOf(changed)).toEqual({ ...webhook, events: ['*'], app: null, is_active: false });
    expect(itemsOf(await ask('GET', '?is_active=false')).map(({ id }) => id)).toEqual([webhook.id]);
    expect(itemsOf(await ask('GET', '?is_active=true'))).toEqual([]);
    expect((await ask('PATCH', path, { is_active: false })).status).toBe(200);

    const rotated = await ask('POST', `${path}/rotate-secret`, {});
    expect([rotated.status, rotated.body.secret === added.body.secret]).toEqual([201, false]);
    expect((await ask('POST', `${path}/rotate-secret`, { keep_old_hours: 0 })).body.expires_at).toBeNull();
    expect((await ask('DELETE', path)).status).toBe(200);
    expectError(await ask('GET', path), 'WEBHOOK_NOT_FOUND');
    const { kysely } = app().services.database;
    const rows = await kysely
      .selectFrom('audit_events')
      .select('details')
      .where('event', '=', 'webhook.changed')
      .execute();
    expect(rows.map(({ details }) => JSON.parse(details))).toEqual([
      { id: webhook.id, change: 'created', fields: ['url', 'events', 'app', 'description'] },
      { id: webhook.id, change: 'updated', fields: ['events', 'app', 'is_active'] },
      { id: webhook.id, change: 'secret_rotated', fields: ['secret'] },
      { id: webhook.id, change: 'secret_rotated', fields: ['secret'] },
      { id: webhook.id, change: 'removed', fields: [] },
    ]);
  });

  test('are refused with bad input, an unknown application, or an unknown id', async () => {
    const events = ['*'];
    const add = (fields: object) => ask('POST', '', { url, events, ...fields });
    expectError(await ask('POST', '', { url }), 'MISSING_REQUIRED_FIELD', 'events');
    expectError(await ask('POST', '', { events }), 'MISSING_REQUIRED_FIELD', 'url');
    for (const bad of [[], ['user.exploded'], ['webhook.test'], ['*', 'x'], [''], [1], 'user.created'])
      expectError(await add({ events: bad }), 'FIELD_INVALID', 'events');
    for (const bad of ['nonsense', 'ftp://example.com/', 'http://a:b@example.com/', 'https://example.com/#x', '', 1])
      expectError(await add({ url: bad }), 'FIELD_INVALID', 'url');
    expectError(await add({ description: 'x'.repeat(256) }), 'FIELD_INVALID', 'description');
    expectError(await add({ app: 'unknown' }), 'APPLICATION_NOT_FOUND');
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', {}],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', {}],
      ['POST', '/test', undefined],
      ['POST', '/retry', {}],
      ['GET', '/deliveries', undefined],
    ] as const)
      expectError(await ask(method, `/wh_unknown${path}`, body), 'WEBHOOK_NOT_FOUND');
  });

  test('can send a test, list deliveries by pages, and retry', async () => {
    const receiver = await startReceiver();
    const path = `/${webhookOf(await ask('POST', '', { url: receiver.url, events: ['user.created'] })).id}`;
    receiver.answer = (_request, response) => void response.writeHead(500).end('sorry');
    const failed = await ask('POST', `${path}/test`);
    expect([failed.status, fieldsOf(failed.body.delivery)]).toEqual([
      200,
      expect.objectContaining({
        event: 'webhook.test',
        status: 'failed',
        response_status: 500,
        response_body: 'sorry',
      }),
    ]);
    expect(receiver.got[0]?.message).toMatchObject({ type: 'webhook.test', data: { id: null, user: null } });
    expect(itemsOf(await ask('GET', `${path}/deliveries`))).toEqual([]);

    for (let count = 0; count < 3; count += 1) await app().seedUser();
    const first = await ask('GET', `${path}/deliveries?limit=2&status=waiting`);
    const next = encodeURIComponent(String(first.body.next));
    const second = await ask('GET', `${path}/deliveries?status=waiting&after=${next}`);
    const ids = [...itemsOf(first), ...itemsOf(second)].map(({ id }) => id);
    expect([itemsOf(first).length, new Set(ids).size, second.body.next]).toEqual([2, 3, null]);
    expectError(await ask('GET', `${path}/deliveries?after=${next}`), 'CURSOR_INVALID');
    expectError(await ask('GET', `${path}/deliveries?status=lost`), 'FIELD_INVALID', 'status');
    expect((await ask('POST', `${path}/retry`, {})).body.retried).toBe(3);
    expect((await ask('POST', `${path}/retry`, { message: ids[0] })).body.retried).toBe(1);
    expectError(await ask('POST', `${path}/retry`, { message: 'msg_0' }), 'DELIVERY_NOT_FOUND');
    const headers = { authorization: `Bearer ${await ownToken()}` };
    await vi.waitFor(async () => {
      app().clock.advance(20_000);
      const { body } = await app().client().get('/authsvc/api/admin/overview', { headers });
      expect(body.attention).toContainEqual({ kind: 'webhook_failing', count: 1 });
    }, 30_000);
    await ask('DELETE', path);
    await receiver.close();
  });

  test('cannot go to private addresses, unless these are allowed', async () => {
    const authorization = `Bearer ${await getToken(strict)}`;
    const add = (to: string) =>
      strict()
        .client()
        .request('POST', WEBHOOKS, { json: { url: to, events: ['*'] }, headers: { authorization } });

    expectError(await add('http://127.0.0.1/'), 'ADDRESS_NOT_ALLOWED', 'url');
    expectError(await add('https://[::ffff:10.0.0.1]/'), 'ADDRESS_NOT_ALLOWED', 'url');
    expect((await add('http://hooks.example.com/')).status).toBe(201);
  });
});
