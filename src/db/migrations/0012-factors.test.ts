import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../test/support/each-database.ts';
import { formerDatabase } from '../../../test/support/former-database.ts';
import { migrate } from '../migrate.ts';

eachDatabase('the migration of second factors', (kind) => {
  test('keeps factors, recovery codes, counts of wrong codes, and the browsers that were trusted since the current factor was set up', async (t) => {
    const database = await formerDatabase(t, kind, '0011-spent-starts');
    const { kysely } = database;
    for (const [name, secret, at, step, guesses, until] of [
      ['ada', null, null, 0, 0, 0],
      ['bob', 'sealed of bob', 500, 77, 3, 900],
    ]) {
      await sql`insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash,
          created_at, totp_secret, totp_enabled_at, totp_last_step, totp_guesses, totp_blocked_until)
        values (${name}, ${name}, '', 'normaluser', '[]', '', '', 1, ${secret}, ${at}, ${step}, ${guesses},
          ${until})`.execute(kysely);
    }
    const bob = sql`(select id from users where username = 'bob')`;
    for (const [hash, at] of [
      ['former', 400],
      ['current', 500],
    ]) {
      await sql`insert into trusted_devices (token_hash, user_id, totp_enabled_at, user_agent, created_at, expires_at)
        values (${hash}, ${bob}, ${at}, 'Firefox', 510, 9000)`.execute(kysely);
    }
    await sql`insert into recovery_codes (code_hash, user_id) values ('code', ${bob})`.execute(kysely);

    await migrate(database);

    const { id } = await kysely
      .selectFrom('users')
      .select('id')
      .where('username', '=', 'bob')
      .executeTakeFirstOrThrow();
    expect(
      await kysely.selectFrom('totp_factors').select(['user_id', 'secret', 'last_step', 'confirmed_at']).execute(),
    ).toEqual([{ user_id: id, secret: 'sealed of bob', last_step: 77, confirmed_at: 500 }]);
    expect(await kysely.selectFrom('factor_guesses').selectAll().execute()).toEqual([
      { user_id: id, guesses: 3, blocked_until: 900 },
    ]);
    expect(await kysely.selectFrom('trusted_browsers').selectAll().execute()).toEqual([
      { token_hash: 'current', user_id: id, user_agent: 'Firefox', created_at: 510, expires_at: 9000 },
    ]);
    expect(await kysely.selectFrom('recovery_codes').select(['code_hash', 'user_id']).execute()).toEqual([
      { code_hash: 'code', user_id: id },
    ]);
  });
});
