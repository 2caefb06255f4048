import { expect, test, vi } from 'vitest';
import { isRef } from '../../src/lib/random.ts';
import { passkeySignIn, seedPasskey, seedPasskeyUser } from '../support/authenticator.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { runCommand } from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

eachDatabase('authsvc passkey, while the server runs', (database) => {
  test('lists and removes the passkeys of a user, newest first', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const app = await startApp(t, { database: fresh });
    const { user, authenticator, passkey: first } = await seedPasskeyUser(app);
    app.clock.advance(1000);
    const second = await seedPasskey(app, user, authenticator, { name: 'Red key' });
    const client = app.client();
    await passkeySignIn(client, authenticator);
    const run = (...args: string[]) => runCommand(t, fresh, ['passkey', ...args, '--json']);

    const listed = await run('list', user.username.toUpperCase());
    const removed = await run('remove', user.username, second.ref);
    const again = await run('remove', user.username, second.ref);

    // A ref must not begin with a dash, because the command line would parse it as an option.
    expect([first.ref, second.ref].map(isRef)).toEqual([true, true]);
    const used = { ...second, last_used_at: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect([listed.code, listed.json]).toEqual([0, [used, first]]);
    expect([removed.code, removed.json]).toEqual([0, { username: user.username, ref: second.ref, removed: true }]);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain(`${user.username} has no passkey`);
    expect(await client.isSignedIn()).toBe(false);
  });

  test('warns if the user has no way left to sign in', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const app = await startApp(t, { database: fresh });
    const { user, passkey } = await seedPasskeyUser(app);
    await app.services.database.kysely.updateTable('users').set({ password_hash: '' }).execute();

    const { code, stderr } = await runCommand(t, fresh, ['passkey', 'remove', user.username, passkey.ref]);

    expect(code).toBe(0);
    expect(stderr).toContain(`${user.username} cannot sign in any more`);
  });
});
