import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { lockUser } from '../../src/users/queries.ts';
import { freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';

test('of two transactions that wait for each other both come through: one of them after a second try', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const app = await startApp(t, { database: fresh });
  const database = await openDatabase(fresh.url, { max: 2, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(database.close);
  const [ada, bob] = [await app.seedUser(), await app.seedUser()];
  const tries: number[] = [];
  let arrive = () => {};
  const bothHold = new Promise<void>((resolve) => {
    let held = 0;
    arrive = () => {
      held += 1;
      if (held === 2) resolve();
    };
  });
  const hold = (ids: readonly [number, number]) =>
    database.transaction(async (tx) => {
      tries.push(ids[0]);
      await lockUser.run(tx, { id: ids[0] });
      arrive();
      await bothHold;
      return lockUser.run(tx, { id: ids[1] });
    });

  const counts = await Promise.all([hold([ada.id, bob.id]), hold([bob.id, ada.id])]);

  expect(counts).toEqual([1, 1]);
  expect(tries).toHaveLength(3);
});

test('races are decided by guarded updates, also where transactions are serializable by default', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const app = await startApp(t, { database: fresh });
  const ada = await app.seedUser();
  const owner = await openDatabase(fresh.url, { max: 1, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(owner.close);
  await sql`alter role current_user in database ${sql.id(new URL(fresh.url).pathname.slice(1))} set default_transaction_isolation = 'serializable'`.execute(
    owner.kysely,
  );
  const database = await openDatabase(fresh.url, { max: 8, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(database.close);

  const level = await sql<{ transaction_isolation: string }>`show transaction_isolation`.execute(database.kysely);
  expect(level.rows).toEqual([{ transaction_isolation: 'serializable' }]);
  const all = Array.from({ length: 8 }, () =>
    database.transaction(async (tx) => {
      await tx.kysely.selectFrom('users').select('last_login_at').where('id', '=', ada.id).execute();
      return lockUser.run(tx, { id: ada.id });
    }),
  );
  expect(await Promise.all(all)).toEqual(Array.from({ length: 8 }, () => 1));
});
