import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { type Owner, type Place, runCommand } from './support.ts';

vi.setConfig({ testTimeout: 240_000 });

/** The hash of `Right-horse-88` by Django's PBKDF2 with few rounds. */
const HASH = '{SHA}XBBOmzinDLqReo6vb/st4R84pWs=';

const user = (name: string, more: object = {}) => JSON.stringify({ username: name, ...more });

/** How many mails wait to be sent; no service runs that sends them. */
async function waitingMails({ url }: Place): Promise<number> {
  const database = await openDatabase(url, { max: 1, isPatient: true, isReadOnly: true, onTrouble: () => undefined });
  try {
    return (await database.kysely.selectFrom('outbox').select('id').execute()).length;
  } finally {
    await database.close();
  }
}

eachDatabase('an import', (kind) => {
  async function migrated(t: Owner): Promise<Place> {
    const place = await freshDatabase(kind);
    t.onTestFinished(place.drop);
    await runCommand(t, place, ['migrate']);
    return place;
  }

  async function importLines(t: Owner, place: Place, lines: readonly string[], ...options: string[]) {
    const file = join(place.folder, `import-${Math.random()}.jsonl`);
    await writeFile(file, lines.join('\n'));
    const { code, stdout, stderr } = await runCommand(t, place, ['import', file, '--json', ...options]);
    return { code, report: JSON.parse(stdout), stderr };
  }

  async function exported(t: Owner, place: Place) {
    const { stdout } = await runCommand(t, place, ['export', '--with-hashes']);
    return stdout.trim().split('\n').slice(1);
  }

  test('by two at once adds each user once, and an export gives the same in another database', async (t) => {
    const [place, other] = [await migrated(t), await migrated(t)];
    const names = Array.from({ length: 130 }, (_none, at) => `user-${at}`);
    const lines = names.map((name, at) => user(name, { password_hash: HASH, links: { codehost: at + 1 } }));

    const both = await Promise.all([importLines(t, place, lines), importLines(t, place, lines.toReversed())]);

    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const [first, second] = both.map(({ report }) => report.users);
    expect(first.created + second.created).toBe(names.length);
    expect(first.unchanged + second.unchanged).toBe(names.length);
    const there = await exported(t, place);
    const moved = await importLines(t, other, there);
    expect([moved.code, moved.report.users.created]).toEqual([0, names.length]);
    expect(await exported(t, other)).toEqual(there);
  });

  test('that updates writes what differs, adds what is missing, and records an event for each', async (t) => {
    const place = await migrated(t);
    place.settings = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'authsvc@example.test' };
    const email = { email: 'ada@example.test', email_confirmed: true };
    await importLines(t, place, [
      user('ada', { role: 'superadmin', full_name: 'Ada', links: { codehost: 1 }, ...email }),
      user('bob'),
    ]);

    const lines = [
      user('ADA', { full_name: 'Ada L.', password_hash: HASH, links: { websso: 'sub-1' } }),
      user('ada', { full_name: 'again' }),
      user('bob', { links: { codehost: 1 } }),
    ];
    const dry = await importLines(t, place, lines, '--update', '--dry-run');
    const real = await importLines(t, place, lines, '--update');
    const last = await importLines(t, place, [user('ada', { is_active: false })], '--update');

    expect({ ...dry.report, dry_run: false }).toEqual(real.report);
    expect(real.report.users).toEqual({ created: 0, updated: 1, unchanged: 0 });
    expect(real.report.refusals.map((refusal: { line: number; code: string }) => [refusal.line, refusal.code])).toEqual(
      [
        [2, 'DUPLICATE_IN_FILE'],
        [3, 'LINK_TAKEN'],
      ],
    );
    expect(last.report.refusals).toMatchObject([{ code: 'LAST_SUPERADMIN' }]);
    expect(JSON.parse((await exported(t, place))[0] ?? '')).toMatchObject({
      username: 'ada',
      full_name: 'Ada L.',
      links: { codehost: '1', websso: 'sub-1' },
      password_hash: HASH,
    });
    expect(await waitingMails(place)).toBe(0);
    const { stdout } = await runCommand(t, place, ['audit', 'list', '--user', 'ada', '--json']);
    const events: { event: string; actor_type: string }[] = JSON.parse(stdout);
    expect(events.map(({ event }) => event)).toEqual([
      'connection.changed',
      'password.changed',
      'user.updated',
      'user.created',
    ]);
  });
});
