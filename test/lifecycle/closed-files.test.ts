import { chmod, chown, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { findAccount } from '../support/postgres.ts';
import { canRun, makeDatabase, type Owner, runCommand } from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

const unprivileged = await findAccount();
/** An account that is not root, if the tests can run the program under one. */
const account = unprivileged && canRun(unprivileged) ? unprivileged : undefined;

/**
 * Creates a database as if root had restored it: the folder belongs to the service's account, but the file belongs to
 * root.
 */
async function restoredByRoot(t: Owner) {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);
  await chown(fresh.folder, account?.uid ?? 0, account?.gid ?? 0);
  return { ...fresh, ...(account ? { account } : {}), file: fresh.url.replace('sqlite:', '') };
}

test.skipIf(!account).for([['serve'], ['user', 'list'], ['migrate']])(
  '%s names the owner of a database file that root restored, and the remedy',
  async (args, t) => {
    const place = await restoredByRoot(t);
    await chmod(place.file, 0o600);

    const { code, stderr } = await runCommand(t, place, args);

    expect([code, stderr]).toEqual([
      1,
      `The database at ${place.file} cannot be used: nobody may not use ${place.file}: ${place.file} belongs to root (mode 0600). As root, run \`chown nobody ${place.file}\`. DATABASE_URL says where it is.\n`,
    ]);
  },
);

test.skipIf(!account)('a database file that can be read but not written stops the start', async (t) => {
  const place = await restoredByRoot(t);
  await chmod(place.file, 0o644);

  const { code, stderr } = await runCommand(t, place, ['serve']);

  expect([code, stderr]).toEqual([1, expect.stringContaining(`${place.file} belongs to root (mode 0644)`)]);
});

test.skipIf(!account)(
  'a database in a folder of another user is reported as such, and not as a missing database',
  async (t) => {
    const place = await restoredByRoot(t);
    const folder = join(place.folder, 'closed');
    await mkdir(folder, { mode: 0o700 });
    await writeFile(join(folder, 'authsvc.sqlite'), '');

    const url = `sqlite:${folder}/authsvc.sqlite`;
    const { code, stderr } = await runCommand(t, { ...place, url }, ['user', 'list']);

    expect([code, stderr]).toEqual([1, expect.stringContaining(`${folder} belongs to root (mode 0700)`)]);
  },
);

test.skipIf(!account)(
  'a symbolic link to a database in a folder of another user is reported with that folder',
  async (t) => {
    const place = await restoredByRoot(t);
    const closed = join(place.folder, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await rename(place.file, join(closed, 'authsvc.sqlite'));
    await symlink('closed/authsvc.sqlite', place.file);

    const { code, stderr } = await runCommand(t, place, ['user', 'list']);

    expect([code, stderr]).toEqual([1, expect.stringContaining(`${closed} belongs to root (mode 0700)`)]);
  },
);

test.skipIf(!account).for([
  { key: 'BRAND_LOGO', value: 'logo.svg', closed: 'logo.svg' },
  { key: 'BRAND_LOGO', value: 'closed/logo.svg', closed: 'closed' },
  { key: 'TEMPLATES_FOLDER', value: 'closed', closed: 'closed' },
  { key: 'TEMPLATES_FOLDER', value: 'templates', closed: 'templates/layout.eta' },
  { key: 'TEMPLATES_FOLDER', value: 'templates', closed: 'templates/parts' },
])(
  'if $closed makes $key unreadable, the message names $closed, its owner and the remedy',
  async ({ key, value, closed }, t) => {
    const place = await restoredByRoot(t);
    await chown(place.file, account?.uid ?? 0, account?.gid ?? 0);
    for (const name of ['closed', 'templates', 'templates/parts']) await mkdir(join(place.folder, name));
    for (const name of ['logo.svg', 'closed/logo.svg', 'templates/layout.eta'])
      await writeFile(join(place.folder, name), '<svg/>');
    const path = join(place.folder, closed);
    await chmod(path, 0o600);

    const { code, stderr } = await runCommand(t, { ...place, settings: { [key]: join(place.folder, value) } }, [
      'serve',
    ]);

    expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} belongs to root (mode 0600). As root, run`)]);
    expect(stderr).toContain(`${key}: `);
  },
);

test.skipIf(!account)('a user without a home folder is told what to set', async (t) => {
  const place = await restoredByRoot(t);
  const nameless = { uid: 54_321, gid: 54_321 };
  await chmod(place.folder, 0o755);

  const settings = { HOME: '' };
  const { code, stderr } = await runCommand(t, { ...place, account: nameless, settings }, ['whoami']);

  expect([code, stderr]).toEqual([1, expect.stringMatching(/^This user has no home folder,.* Set HOME, .*\n$/)]);
});
