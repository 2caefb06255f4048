import { expect, test } from 'vitest';
import { changeUser } from '../../src/users/change-user.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import type { Client } from '../support/client.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import type { SeededUser } from '../support/start-app.ts';
import { whileAway } from '../support/table-away.ts';
import { expectError, sharedApp } from './support.ts';

const ADMIN = '/authsvc/api/admin';
const ADDRESS = '2001:db8::abcd';

type Item = Record<string, unknown>;

/** Returns the items of a reply. */
function itemsOf(body: Record<string, unknown>): Item[] {
  return Array.isArray(body.items) ? body.items : [];
}

eachDatabase('the lists that superadmins read', (database) => {
  const app = sharedApp({ database, settings: { RATE_LIMITS: 'off', env: 'dev' } });
  let admin: Client | undefined;
  const get = async (path: string) => {
    admin ??= await app().signIn(await app().seedUser({ username: `root-${database}`, role: 'superadmin' }));
    return admin.get(`${ADMIN}${path}`);
  };
  const names = async (path: string) => itemsOf((await get(path)).body).map(({ username }) => username);
  const walk = async (path: string, limit: number): Promise<Item[]> => {
    const { body } = await get(`${path}&limit=${limit}`);
    const found = itemsOf(body);
    for (let { next } = body; typeof next === 'string'; ) {
      const reply = await get(`${path}&limit=${limit}&after=${next}`);
      found.push(...itemsOf(reply.body));
      ({ next } = reply.body);
    }
    return found;
  };

  test('are only for superadmins: other users, and tokens without the scope admin, are refused', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    const { token } = await createToken(client, { scope: 'write' });
    const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
    for (const path of [
      '/users',
      '/users/1',
      '/users.csv',
      '/sessions',
      '/tokens',
      '/profiles',
      '/applications',
      '/audit',
      '/audit.csv',
      '/audit.jsonl',
    ]) {
      const read = (as: Client, options = {}) => as.request('GET', `${ADMIN}${path}`, options);
      expectError(await read(app().client()), 'NOT_SIGNED_IN');
      expectError(await read(client), 'SUPERADMIN_REQUIRED');
      expectError(await read(app().client(), bearer(token)), 'TOKEN_SCOPE_REQUIRED');
      expectError(await read(app().client(), bearer('tok_x')), 'TOKEN_INVALID');
      expect((await get(path)).status).toBe(200);
    }
  });

  test.each(['/audit', '/audit.csv', '/audit.jsonl'])(
    'GET %s reports an error if its rows cannot be read',
    async (path) => {
      await whileAway(app(), 'audit_events', async () => {
        const reply = await get(path);

        expectError(reply, 'INTERNAL_ERROR');
        expect(reply.headers['content-disposition']).toBeUndefined();
      });
    },
  );

  test('find users by every filter and in every order, and contain each user once while others are added and removed', async () => {
    const word = `list${database}`;
    const seed = (name: string, more: object = {}) => app().seedUser({ username: `${word}-${name}`, ...more });
    await seed('a', { fullName: 'Grâce HOPPER' });
    await seed('B', { role: 'superadmin' });
    await seed('c', { isInactive: true });
    await seed('d', { apps: ['Portal'] });
    const users: SeededUser[] = [];
    for (const name of ['e%f', 'e_f']) users.push(await seed(name));
    for (const user of users) await app().signIn(user);
    const short = async (query: string) =>
      (await names(`/users?q=${word}&${query}`)).map((name) => String(name).slice(word.length + 1));
    const all = ['a', 'B', 'c', 'd', 'e%f', 'e_f'];

    expect(await short('')).toEqual(all);
    expect(await short('sort=-username')).toEqual([...all].reverse());
    expect(await short('sort=created_at')).toEqual(all);
    expect(await short('sort=last_login_at')).toEqual(['e%f', 'e_f', 'a', 'B', 'c', 'd']);
    expect(await short('sort=-last_login_at')).toEqual(['e_f', 'e%f', 'd', 'c', 'B', 'a']);
    expect(await short('role=superadmin')).toEqual(['B']);
    expect(await short('role=superadmin&role=normaluser&is_active=&app=')).toEqual(all);
    expect(await short('is_active=false')).toEqual(['c']);
    expect(await short('app=portal')).toEqual(['d']);
    expect(await short('second_factor=true')).toEqual([]);
    expect(await short('last_login_after=2020-01-01')).toEqual(['e%f', 'e_f']);
    expect(await short('last_login_before=2020-01-01')).toEqual(['a', 'B', 'c', 'd']);
    expect(await names('/users?q=e%25f')).toEqual([`${word}-e%f`]);
    expect(await names('/users?q=GR%C3%82CE%20hop')).toEqual([`${word}-a`]);
    expect(await names(`/users?username=${word.toUpperCase()}-b`)).toEqual([`${word}-B`]);
    for (const sort of ['username', '-username', '-created_at', 'last_login_at', '-last_login_at']) {
      const found = await walk(`/users?q=${word}&sort=${sort}`, 1);
      expect(
        found.map(({ username }) => username),
        sort,
      ).toEqual(await names(`/users?q=${word}&sort=${sort}`));
    }
    const first = await get(`/users?q=${word}&limit=2`);
    const [a] = itemsOf(first.body);
    await removeUser(app().change(), { id: Number(a?.id) });
    await seed('A0');
    const rest = await get(`/users?q=${word}&limit=200&after=${first.body.next}`);
    expect(itemsOf(rest.body).map(({ username }) => username)).toEqual(
      ['c', 'd', 'e%f', 'e_f'].map((name) => `${word}-${name}`),
    );
    const csv = (await get(`/users.csv?q=${word}&role=superadmin`)).text.split('\r\n');
    expect(csv[0]).toMatch(/^id,user_id,sub,username,full_name,role,/);
    expect(csv).toHaveLength(3);
  });

  test('show one user, whose version grows with each change but not with a sign-in', async () => {
    const user = await app().seedUser();
    const show = async () => (await get(`/users/${user.id}`)).body.user;
    expect(await show()).toMatchObject({ version: 1, recovery_codes_left: 0, trusted_browsers: 0, connections: [] });
    await app().signIn(user);
    expect(await show()).toMatchObject({ version: 1 });
    await changeUser(app().change(), user.username, { fullName: 'Ada' });
    await changeUser(app().change(), user.username, { fullName: 'Ada' });
    expect(await show()).toMatchObject({ version: 2, full_name: 'Ada' });
    expectError(await get('/users/999999999'), 'USER_NOT_FOUND');
  });

  test('identify sessions by their ref, and name the owner of each token', async () => {
    const user = await app().seedUser();
    const client = app().client();
    await client.login(user, { headers: { 'x-forwarded-for': ADDRESS } });
    const token = await createToken(client, { scope: 'write', expiresDays: 3 });
    await createToken(client, {});

    const [session] = itemsOf((await get(`/sessions?user_id=${user.id}`)).body);
    expect(session).toMatchObject({
      username: user.username,
      method: 'password',
      ref: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(Object.keys(session ?? {})).not.toContain('id');
    expect(itemsOf((await get(`/sessions?user_id=${user.id}&method=codehost`)).body)).toEqual([]);
    expect(itemsOf((await get(`/sessions?user_id=${user.id}&address=${ADDRESS.toUpperCase()}`)).body)).toMatchObject([
      { address: ADDRESS },
    ]);
    expect(itemsOf((await get(`/audit?user_id=${user.id}&address=${ADDRESS.toUpperCase()}`)).body)).toMatchObject([
      { event: 'user.signed_in' },
    ]);
    const whole = ADDRESS.replace('::', ':0:0:0:0:0:');
    for (const path of ['/sessions', '/audit']) {
      expect(itemsOf((await get(`${path}?user_id=${user.id}&address=${whole}`)).body)).toHaveLength(1);
      expect((await get(`${path}?address=foo`)).body).toMatchObject({ code: 'FIELD_INVALID', field: 'address' });
    }
    const owned = itemsOf((await get(`/tokens?user_id=${user.id}&scope=write`)).body);
    expect(owned).toMatchObject([{ id: token.id, user_id: user.id, username: user.username }]);
    expect(await walk(`/tokens?user_id=${user.id}`, 1)).toHaveLength(2);
    for (const beginning of [token.token.slice(0, 12), token.token, ` ${token.token.slice(0, 20).toUpperCase()}`])
      expect(itemsOf((await get(`/tokens?token_prefix=${encodeURIComponent(beginning)}`)).body)).toMatchObject([
        { id: token.id },
      ]);
    for (const other of [`${token.token.slice(0, 11)}x`, 'tok_', '%25'])
      expect(itemsOf((await get(`/tokens?token_prefix=${other}`)).body)).toEqual([]);
  });

  test('contain the rows of the audit log', async () => {
    const user = await app().seedUser();
    await app().signIn(user);
    const rows = itemsOf((await get(`/audit?user=${user.username}`)).body);

    expect(rows.map(({ event }) => event)).toEqual(['user.signed_in', 'user.created']);
    expect(await walk(`/audit?user_id=${user.id}`, 1)).toEqual(rows);
    expect(itemsOf((await get(`/audit?user=${user.username}&event=user.created&event=user.removed`)).body)).toEqual(
      rows.slice(1),
    );
    const lines = (await get(`/audit.jsonl?user=${user.username}`)).text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
    const csv = await get(`/audit.csv?user=${user.username}`);
    expect(csv.headers['content-disposition']).toBe('attachment; filename="audit.csv"');
    expect(csv.text.split('\r\n')).toHaveLength(4);
  });

  test.each([
    ['/users?role=emperor', 'role'],
    ['/users?is_active=maybe', 'is_active'],
    ['/users?sort=password_hash', 'sort'],
    ['/users?q=a&q=b', 'q'],
    ['/users?limit=0', 'limit'],
    ['/users?limit=201', 'limit'],
    ['/users?last_login_after=yesterday', 'last_login_after'],
    ['/sessions?user_id=me', 'user_id'],
    ['/sessions?method=fax', 'method'],
    ['/tokens?scope=all', 'scope'],
    ['/audit?event=user.eaten', 'event'],
    ['/audit?since=1h', 'since'],
    ['/audit.csv?until=soon', 'until'],
  ])('refuse %s and name the field', async (path, field) => {
    const { status, body } = await get(path);
    expect([status, body.code, body.field]).toEqual([400, 'FIELD_INVALID', field]);
  });

  /** Replaces one part of a cursor. */
  function altered(cursor: unknown, at: number, part: unknown): string {
    const parts: unknown[] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    return Buffer.from(JSON.stringify(parts.with(at, part))).toString('base64url');
  }

  test('accept a cursor only for the list, filters and order that it came from', async () => {
    const { next } = (await get('/users?limit=1')).body;
    for (const path of [
      '/users?after=garbage',
      `/users?after=${next}&sort=-username`,
      `/users?after=${next}&role=superadmin`,
      `/sessions?after=${next}`,
      `/audit?after=${next}`,
      `/users?after=${altered(next, 1, '\ud800')}`,
      `/users?after=${altered(next, 1, 1.5)}`,
      `/users?after=${altered(next, 2, 'x')}`,
      `/users?after=${altered(next, 2, 1e300)}`,
    ])
      expectError(await get(path), 'CURSOR_INVALID');
    expect((await get(`/users?after=${next}&limit=7`)).status).toBe(200);
  });

  test('always contain a superadmin: if the last two lose the role at once, one of the two changes is refused', async () => {
    const ids = itemsOf((await get('/users?role=superadmin&is_active=true&limit=200')).body);
    const [last, ...others] = ids.map(({ username }) => String(username));
    const demote = (name: string) => changeUser(app().change(), name, { role: 'normaluser' });
    for (const name of others.slice(1)) await demote(name);
    const pair = [last ?? '', others[0] ?? ''];

    const results = await Promise.allSettled(pair.map(demote));

    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const left = pair[results.findIndex(({ status }) => status === 'rejected')] ?? '';
    await expect(demote(left)).rejects.toMatchObject({ code: 'LAST_SUPERADMIN' });
    await expect(changeUser(app().change(), left, { isActive: false })).rejects.toMatchObject({
      code: 'LAST_SUPERADMIN',
    });
    const user = await app().user(left);
    await expect(removeUser(app().change(), { id: user?.id ?? 0 })).rejects.toMatchObject({
      code: 'LAST_SUPERADMIN',
    });
  });
});
