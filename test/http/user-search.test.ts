import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addUpCounts } from '../../src/admin/overview-queries.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { sharedApp } from './support.ts';

const ADMIN = '/authsvc/api/admin';
/** How many users there are. This is more than the search reads in the order of the list before it uses an index. */
const CROWD = 2500;

eachDatabase('the search among many users', (database) => {
  const app = sharedApp({ database, settings: { RATE_LIMITS: 'off', env: 'dev', ROLES: 'auditor' } });
  let admin: Client | undefined;
  const names = async (query: string): Promise<unknown[]> => {
    admin ??= await app().signIn(await app().seedUser({ username: 'root', role: 'superadmin' }));
    const { body } = await admin.get(`${ADMIN}/users?${query}`);
    return Array.isArray(body.items) ? body.items.map(({ username }) => username) : [body];
  };
  const overview = async () => {
    app().clock.advance(10_000);
    return (await admin?.get(`${ADMIN}/overview`))?.body;
  };
  const crowd = () =>
    sql`insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at,
        folded_username, folded_full_name)
      with recursive series(n) as (select 1 union all select n + 1 from series where n < ${sql.lit(CROWD)})
      select 'crowd-' || n, 'crowd-' || n, 'One of many', 'normaluser', '["authsvc"]', '', '', n, 'crowd-' || n,
        'one of many' from series`.execute(app().services.database.kysely);

  test('finds rare users by an index', async () => {
    await crowd();
    await app().seedUser({ username: 'x-Straße', fullName: 'Ämilie "Q" Öz%_r', apps: ['Wiki'] });
    await app().seedUser({ username: 'y-auditor', fullName: 'İpek ＡＢＣ', role: 'auditor', isInactive: true });

    expect(await names('q=crowd-2499')).toEqual(['crowd-2499']);
    expect(await names(`q=${encodeURIComponent('ÄMILIE "')}`)).toEqual(['x-Straße']);
    for (const part of ['strasse', 'STRASSE', 'straße', 'STRASSE'.normalize('NFKC'), '%_r', 'öZ%'])
      expect(await names(`q=${encodeURIComponent(part)}`), part).toEqual(['x-Straße']);
    for (const part of ['%%%', '___', "'''", '"""', 'zzz', 'a%c', 'crowd-24999'])
      expect(await names(`q=${encodeURIComponent(part)}`), part).toEqual([]);
    for (const part of ['ＡＢＣ', 'İpek'])
      expect(await names(`q=${encodeURIComponent(part)}`), part).toEqual(['y-auditor']);
    for (const filter of ['app=WIKI', 'app=wiki&q=ilie'])
      for (const sort of ['username', '-username', '-created_at', 'last_login_at', '-last_login_at'])
        expect(await names(`${filter}&sort=${sort}`), filter).toEqual(['x-Straße']);
    for (const filter of [
      'role=auditor',
      'is_active=false',
      'role=auditor&is_active=false&last_login_before=2020-01-01',
    ])
      expect(await names(filter), filter).toEqual(['y-auditor']);
    expect(await names('app=wik')).toEqual([]);
    expect(await names('q=authsvc')).toEqual([]);
    expect(await names('q=y-')).toEqual(['y-auditor']);
    expect(await names('q=-a')).toEqual([]);
    expect(await names('second_factor=true')).toEqual([]);
    expect(await names('last_login_after=2020-01-01')).toEqual(['root']);
    expect(await names('q=many&limit=2&sort=-created_at')).toEqual([`crowd-${CROWD}`, `crowd-${CROWD - 1}`]);
  });

  test.each([
    ['Οδυσσεύς', ['ΟΔΥΣΣΕΎΣ', 'δυσς', 'ΔΥΣ'], ['δυσε']],
    ['თბილისი', ['ᲗᲑᲘᲚᲘᲡᲘ', 'ბილ'], ['ბილბ']],
    ['ᏣᎳᎩ Ꮳ', ['ꮳꮃꭹ', 'ᏣᎳᎩ'], ['ꮳꮃꮃ']],
    ['Ağrı İzmir', ['AĞRI', 'ağrı', 'İZMİR', 'izmi'], ['agri']],
    ['Weißer Fluß', ['WEISSER', 'WEIẞER', 'fluß', 'eisse', 'LUSS'], ['weiser']],
    ['Zoe\u0308 Ré', ['ZOË', 'zoe\u0308', 'oë ré'], ['zoé']],
  ])('finds %s in any case, in the same way on both databases', async (name, parts, others) => {
    const { username } = await app().seedUser({ fullName: `A ${name}`, apps: [name] });

    for (const part of parts) {
      expect(await names(`q=${encodeURIComponent(part)}`), part).toEqual([username]);
      expect(await names(`q=${encodeURIComponent(part)}&sort=-created_at&is_active=true`), part).toEqual([username]);
    }
    for (const part of others) expect(await names(`q=${encodeURIComponent(part)}`), part).toEqual([]);
    expect(await names(`app=${encodeURIComponent(name.toUpperCase())}`)).toEqual([username]);
    expect(await names(`app=${encodeURIComponent(name.toLowerCase())}`)).toEqual([username]);
  });

  test('finds the beginning of a name that continues after a sigma', async () => {
    await app().seedUser({ username: 'ασα' });
    await app().seedUser({ username: 'ας' });

    expect(await names(`q=${encodeURIComponent('ΑΣ')}`)).toEqual(['ας', 'ασα']);
  });

  test('reflects changes and removals', async () => {
    const zoe = await app().seedUser({ username: 'zoe', fullName: 'Zoe Former' });
    expect(await names('q=former')).toEqual(['zoe']);

    await changeUser(app().change(), 'zoe', { fullName: 'Zoe Latter', apps: ['Drive'] });
    expect(await names('q=former')).toEqual([]);
    expect(await names('q=latter')).toEqual(['zoe']);
    expect(await names('app=drive')).toEqual(['zoe']);

    await removeUser(app().change(), { id: zoe.id });
    expect(await names('q=latter')).toEqual([]);
  });

  test('the overview counts each user, however they are added, changed or removed', async () => {
    await names('q=root');
    const before = await overview();
    const total = (body: typeof before, name: string) =>
      Number(Object.entries(body?.users ?? {}).find(([key]) => key === name)?.[1]);
    const user = await app().seedUser({ username: 'counted' });
    await app().signIn(user);
    await changeUser(app().change(), 'counted', { isActive: false });
    const inactive = await overview();
    expect([total(inactive, 'total'), total(inactive, 'active')]).toEqual([
      total(before, 'total') + 1,
      total(before, 'active'),
    ]);
    expect(inactive?.sessions).toEqual(before?.sessions);
    await changeUser(app().change(), 'counted', { isActive: true });
    await app().signIn(user);
    await removeUser(app().change(), { id: user.id });
    if (database === 'postgres') {
      const portion = { now: app().clock.now(), most: 100 };
      expect(await addUpCounts.run(app().services.database, portion)).toBeGreaterThan(0);
      expect(await addUpCounts.run(app().services.database, portion)).toBe(0);
    }

    const { users, sessions } = (await overview()) ?? {};
    expect({ users, sessions }).toEqual({ users: before?.users, sessions: before?.sessions });
    const { rows } = await sql<{ name: string; count: number }>`
      select name, sum(count) as count from row_counts where name not like 'sign_ins%' group by name order by name`.execute(
      app().services.database.kysely,
    );
    const counted = await sql<{ count: number }>`select
      (select count(*) from users where deactivated_at is not null) as inactive, (select count(*) from sessions) as sessions,
      (select count(*) from users) as users`.execute(app().services.database.kysely);
    expect(rows.map(({ count }) => Number(count))).toEqual(Object.values(counted.rows[0] ?? {}).map(Number));
  });
});
