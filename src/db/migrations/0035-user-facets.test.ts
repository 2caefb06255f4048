import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../test/support/each-database.ts';
import { formerDatabase } from '../../../test/support/former-database.ts';
import { migrate } from '../migrate.ts';

/** Number of users: more than the migration folds in one portion. */
const CROWD = 2300;

eachDatabase('the migrations for lists of users', (kind) => {
  test('fold the searchable texts of all users, and mark the users who have a second factor', async (t) => {
    const database = await formerDatabase(t, kind, '0033-lanes');
    const { kysely } = database;
    await sql`insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at)
      with recursive series(n) as (select 1 union all select n + 1 from series where n < ${sql.lit(CROWD)})
      select 'User-' || n, 'user-' || n, 'Οδυσσεύς ' || n, 'normaluser', '["Straße"]', '', '', n from series`.execute(
      kysely,
    );
    await sql`insert into totp_factors (user_id, secret, last_step, confirmed_at)
      select id, 'sealed', 0, 1 from users where username = 'User-7'`.execute(kysely);

    await migrate(database);

    const users = () =>
      kysely
        .selectFrom('users')
        .select(['folded_username', 'folded_full_name', 'folded_apps', 'has_factor'])
        .orderBy('created_at')
        .execute();
    expect(await users()).toEqual(
      Array.from({ length: CROWD }, (_, at) => ({
        folded_username: `user-${at + 1}`,
        folded_full_name: `οδυσσεύσ ${at + 1}`,
        folded_apps: '["strasse"]',
        has_factor: at === 6 ? 1 : 0,
      })),
    );
    await sql`delete from totp_factors`.execute(kysely);
    expect((await users()).every(({ has_factor }) => has_factor === 0)).toBe(true);
  });
});
