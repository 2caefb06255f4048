import { expect, test } from 'vitest';
import { refusalWords } from '../../src/command/refusal-words.ts';
import { AppError } from '../../src/errors/app-error.ts';
import { linkAccount, unlinkAccount } from '../../src/social/link-account.ts';
import { listLinks } from '../../src/social/queries.ts';
import { deleteUser } from '../../src/users/queries.ts';
import { eachDatabase } from '../support/each-database.ts';
import { sharedApp } from './support.ts';

/** Returns the message of the command line for an error; empty if there is none. */
const wordsOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => (error instanceof AppError ? refusalWords(error) : String(error)),
  );

eachDatabase('links to accounts at providers', (database) => {
  const app = sharedApp({ database });
  const link = (
    user: { id: number; username: string },
    accountId: string,
    provider: 'codehost' | 'websso' = 'codehost',
  ) => linkAccount(app().change(), { provider, accountId, user });
  const accountsOf = async (userId: number) =>
    (await listLinks.all(app().services.database, { userId })).map((row) => [row.provider, row.account_id]);

  test('a user has one account at each provider, and ids of different providers are never confused', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];

    await link(ada, '1001');
    await link(ada, '2001', 'websso');
    await link(bob, '1001', 'websso');

    expect(await accountsOf(ada.id)).toEqual([
      ['codehost', '1001'],
      ['websso', '2001'],
    ]);
    expect(await accountsOf(bob.id)).toEqual([['websso', '1001']]);
  });

  test('an account that is already linked, and a second account of one user, are refused with the reason', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    await link(ada, '1002');

    expect(await wordsOf(link(bob, '1002'))).toBe(`The codehost account "1002" is already linked to ${ada.username}.`);
    expect(await wordsOf(link(ada, '1002'))).toMatch(/is already linked to/);
    expect(await wordsOf(link(ada, '1003'))).toBe(
      `${ada.username} is already linked to the codehost account "1002". Remove that link first.`,
    );
    expect(await accountsOf(bob.id)).toEqual([]);
  });

  test.each(['', 'line\nbreak', 'x'.repeat(256)])('%j is refused as an account id', async (accountId) => {
    const ada = await app().seedUser();

    await expect(link(ada, accountId)).rejects.toMatchObject({
      code: 'FIELD_INVALID',
      parameters: { field: 'provider_id' },
    });
  });

  test('of many users who link one account at once, only one succeeds', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => app().seedUser()));

    const results = await Promise.allSettled(users.map((user) => link(user, 'raced')));

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const owners = await listLinks.all(app().services.database, { userId: undefined });
    expect(owners.filter((row) => row.account_id === 'raced')).toHaveLength(1);
  });

  test('a removed link no longer exists, nor do the links of a removed user', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    const { database: db } = app().services;
    await link(ada, '1004');
    await link(bob, '1005');

    await unlinkAccount({ ...app().change(), settings: app().services.settings }, ada, 'codehost');
    await deleteUser.run(db, { id: bob.id });

    await expect(
      unlinkAccount({ ...app().change(), settings: app().services.settings }, ada, 'codehost'),
    ).rejects.toMatchObject({ code: 'REF_UNKNOWN' });
    expect([await accountsOf(ada.id), await accountsOf(bob.id)]).toEqual([[], []]);
    const carl = await app().seedUser();
    await link(carl, '1005');
    expect(await accountsOf(carl.id)).toEqual([['codehost', '1005']]);
  });
});
