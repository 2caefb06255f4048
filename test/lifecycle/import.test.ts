import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { type Lies, passkeySignIn, seedPasskeyUser } from '../support/authenticator.ts';
import { eachDatabase, type FreshDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { defaults, type Owner, type Place, runCommand } from './support.ts';

vi.setConfig({ testTimeout: 240_000 });

/** A password hash of another program, in the LDAP format `{SHA}`. */
const HASH = '{SHA}XBBOmzinDLqReo6vb/st4R84pWs=';

const user = (name: string, more: object = {}) => JSON.stringify({ username: name, ...more });

/** Counts the mails that wait to be sent. No service runs that would send them. */
async function waitingMails({ url }: Place): Promise<number> {
  const database = await openDatabase(url, { max: 1, isPatient: true, isReadOnly: true, onTrouble: () => undefined });
  try {
    return (await database.kysely.selectFrom('outbox').select('id').execute()).length;
  } finally {
    await database.close();
  }
}

eachDatabase('an import', (kind) => {
  async function migrated(t: Owner): Promise<FreshDatabase & Place> {
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

  test('by two processes at once adds each user once, and an import of the export into another database gives the same users', async (t) => {
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

  test('with updates writes the differences, adds missing data, and records an event for each change', async (t) => {
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
    expect(last.report.refusals).toMatchObject([{ code: 'LAST_SUPERADMIN', field: 'is_active' }]);
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

  test('imports passkeys with which users can sign in, and then accepts only the user handle of the first sign-in', async (t) => {
    const [place, other] = [await migrated(t), await migrated(t)];
    const settings = { SESSION_SECRET_KEY: defaults.SESSION_SECRET_KEY };
    const app = await startApp(t, { database: place, settings });
    const { user: ada, authenticator } = await seedPasskeyUser(app);
    const lines = await exported(t, place);

    const { code, report } = await importLines(t, other, lines);
    const there = await startApp(t, { database: other, settings });
    const origin = there.services.baseUrl();

    expect([code, report.warnings]).toEqual([0, []]);
    expect(await exported(t, other)).toEqual(lines);
    const { passkeys } = lines.map((line) => JSON.parse(line)).find(({ username }) => username === ada.username);
    expect(passkeys).toEqual([
      {
        credential_id: expect.stringMatching(/^[\w-]{43}$/),
        public_key: expect.stringMatching(/^[\w-]+$/),
        counter: expect.any(Number),
        name: 'Passkey',
        transports: expect.any(Array),
        created_at: expect.any(String),
      },
    ]);
    const signIn = (lies: Lies = {}) => passkeySignIn(there.client(), authenticator, { origin, ...lies });
    expect((await signIn({ counter: 0 })).status).toBe(401);
    expect((await signIn()).status).toBe(200);
    expect((await signIn({ userHandle: 'b3RoZXI' })).status).toBe(401);
    expect((await signIn()).status).toBe(200);
    const taken = await importLines(
      t,
      other,
      [
        user('eve', { passkeys }),
        user('mal', { passkeys: [{ credential_id: 'AAAA', public_key: 'AAAA' }] }),
        user('meg', { passkeys: [{ credential_id: 'AAAA', public_key: passkeys[0].public_key.slice(0, -4) }] }),
        user(ada.username, { passkeys: [{ credential_id: 'BBBB', public_key: passkeys[0].public_key, name: 'Key' }] }),
      ],
      '--update',
    );
    expect(taken.report.refusals.map(({ code }: { code: string }) => code)).toEqual([
      'PASSKEY_TAKEN',
      'FIELD_INVALID',
      'FIELD_INVALID',
    ]);
    expect(taken.report.users.updated).toBe(1);
  });

  test('stores an address as unconfirmed until its owner confirms it', async (t) => {
    const place = await migrated(t);
    const other = await migrated(t);
    const lines = [
      user('ada', { email: 'ada@example.test' }),
      user('bob', { email: 'bob@example.test', email_confirmed: true }),
    ];

    await importLines(t, place, lines);
    const again = await importLines(t, place, lines, '--update');
    const changed = await importLines(t, place, [user('bob', { email: 'new@example.test' })], '--update');

    expect(again.report.users).toEqual({ created: 0, updated: 0, unchanged: 2 });
    expect(changed.report.users.updated).toBe(1);
    const there = await exported(t, place);
    const emails = there.map((line) => JSON.parse(line)).map((line) => [line.email, line.email_confirmed]);
    expect(emails).toEqual([
      ['ada@example.test', false],
      ['bob@example.test', true],
    ]);
    await importLines(t, other, there);
    expect(await exported(t, other)).toEqual(there);
    const database = await openDatabase(place.url, {
      max: 1,
      isPatient: true,
      isReadOnly: true,
      onTrouble: () => undefined,
    });
    t.onTestFinished(() => database.close());
    const pending = await database.kysely.selectFrom('pending_emails').select(['email', 'expires_at']).execute();
    expect(pending.map(({ email, expires_at: at }) => [email, at]).sort()).toEqual([
      ['ada@example.test', null],
      ['new@example.test', null],
    ]);
  });

  test('with updates checks the fields of an application against its kind, clears fields that are null, and leaves a public application without a secret', async (t) => {
    const [place, other] = [await migrated(t), await migrated(t)];
    const application = (key: string, more: object) => JSON.stringify({ type: 'application', key, ...more });
    const update = async (...lines: string[]) => {
      const { report } = await importLines(t, place, lines, '--update');
      return [report.applications, report.refusals.map((refusal: { field: string }) => refusal.field)];
    };
    const counts = (more: object) => ({ created: 0, updated: 0, unchanged: 0, ...more });
    const secretHash = 'a'.repeat(64);
    await importLines(t, place, [
      application('web', {
        icon: 'https://web.example.test/icon',
        backchannel_logout_uri: 'https://web.example.test/logout',
        secret_hash: secretHash,
      }),
      application('phone', { is_public: true, redirect_uris: ['com.example.phone:/cb'] }),
      application('desk', { is_public: true }),
    ]);

    expect(await update(application('web', { icon: null, backchannel_logout_uri: null }))).toEqual([
      counts({ updated: 1 }),
      [],
    ]);
    expect(
      await update(application('phone', { redirect_uris: ['com.example.phone:/cb', 'com.example.phone:/2'] })),
    ).toEqual([counts({ updated: 1 }), []]);
    expect(
      await update(
        application('phone', { is_public: false }),
        application('desk', { pkce_required: false }),
        application('web', { redirect_uris: ['com.example.web:/cb'] }),
        application('new', { redirect_uris: ['com.example.new:/cb'] }),
      ),
    ).toEqual([counts({}), ['redirect_uris', 'pkce_required', 'redirect_uris', 'redirect_uris']]);
    const applications = async () => (await exported(t, place)).map((line) => JSON.parse(line));
    expect(await applications()).toMatchObject([
      { key: 'desk', pkce_required: true },
      { key: 'phone', is_public: true, redirect_uris: ['com.example.phone:/cb', 'com.example.phone:/2'] },
      { key: 'web', icon: null, backchannel_logout_uri: null, is_public: false, secret_hash: secretHash },
    ]);
    await update(application('web', { is_public: true, secret_hash: secretHash, created_at: '2020-01-01T00:00:00Z' }));
    expect((await applications())[2]).toMatchObject({
      is_public: true,
      secret_hash: null,
      created_at: '2020-01-01T00:00:00.000Z',
    });
    const lines = await exported(t, place);
    await importLines(t, other, [application('web', { name: 'Other', icon: 'https://web.example.test/icon' })]);
    await importLines(t, other, lines, '--update');
    expect(await exported(t, other)).toEqual(lines);
    expect((await importLines(t, other, lines, '--update')).report.applications).toEqual(counts({ unchanged: 3 }));
  });

  test('of an application without its secret lets the application get a new secret', async (t) => {
    const place = await migrated(t);
    await importLines(t, place, [JSON.stringify({ type: 'application', key: 'web' })]);

    const { stdout } = await runCommand(t, place, ['app', 'rotate-secret', 'web', '--json']);

    expect(JSON.parse(stdout)).toEqual({
      key: 'web',
      secret: expect.stringMatching(/^acs_[0-9a-f]{64}$/),
      old_secret_expires_at: null,
    });
  });

  test('with updates writes each field of a profile', async (t) => {
    const place = await migrated(t);
    const profile = (more: object) => JSON.stringify({ type: 'profile', key: 'backups', ...more });
    await importLines(t, place, [profile({})]);

    for (const more of [
      { scope: 'write' },
      { name: 'Backups' },
      { allowed_apps: ['wiki'] },
      { expires_in_days: 5 },
      { is_active: false },
    ]) {
      const { report } = await importLines(t, place, [profile(more)], '--update');
      expect(report.profiles.updated).toBe(1);
      expect(JSON.parse((await exported(t, place))[0] ?? '')).toMatchObject(more);
    }
    const { stdout } = await runCommand(t, place, ['audit', 'list', '--event', 'profile.changed', '--json']);
    const events: { details: { fields: string[] } }[] = JSON.parse(stdout);
    expect(events.slice(0, 5).map(({ details }) => details.fields)).toEqual([
      ['is_active'],
      ['expires_in_days'],
      ['allowed_apps'],
      ['name'],
      ['scope'],
    ]);
  });

  test('refuses a plain-text password in any record, and names unknown fields at any place', async (t) => {
    const place = await migrated(t);

    const { report } = await importLines(t, place, [
      user('ada', { color: 1, tokens: [{ name: 'deploy', token_hash: 'a'.repeat(64), owner: 'x' }] }),
      user('bob', { password: null }),
      JSON.stringify({ type: 'application', key: 'web', password: 'Right-horse-88' }),
      JSON.stringify({ type: 'profile', key: 'backups', password: 'Right-horse-88' }),
    ]);

    expect(report.users.created).toBe(1);
    expect(report.refusals.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
      [2, 'PASSWORD_IN_CLEAR'],
      [3, 'PASSWORD_IN_CLEAR'],
      [4, 'PASSWORD_IN_CLEAR'],
    ]);
    expect(report.warnings).toEqual([
      'The field color of a user is unknown and was ignored.',
      'The field tokens.owner of a user is unknown and was ignored.',
    ]);
  });

  test('gives each refusal in whole sentences that name the field and no option of a command', async (t) => {
    const place = await migrated(t);
    const token = { name: 'deploy', token_hash: 'a'.repeat(64) };
    const passkey = { credential_id: 'QUJD', public_key: 'QUJD' };
    const record = (type: string, more: object) => JSON.stringify({ type, key: `${type}-key`, ...more });
    const fields: object[] = [
      ...[{ full_name: 5 }, { role: 'king' }, { email: 'nope' }, { is_active: 1 }, { allowed_apps: 'wiki' }],
      ...[{ created_at: '2026-01-01' }, { totp_secret: '1' }, { links: { elsewhere: 1 } }, { links: { codehost: '' } }],
      ...[{ password_hash: 'x' }, { password_hash: '$2b$12$x' }, { password_hash: HASH.replace('=', '') }],
      ...[{}, { name: '' }, { scope: 'x' }, { prefix: 'x'.repeat(33) }].map((more) => ({
        tokens: [{ ...token, ...more }],
      })),
      ...[{ tokens: [{ ...token, token_hash: 'x' }] }, { tokens: [{}] }, { tokens: [token, token] }],
      ...[{}, { counter: -1 }, { credential_id: '*' }].map((more) => ({ passkeys: [{ ...passkey, ...more }] })),
    ];
    const lines = [
      ...['[]', '{', '{"type":"robot"}', user('x', { password: 'Right-horse-88' })],
      ...fields.map((more, at) => user(`user-${at}`, more)),
      ...[user('bob'), user('BOB'), record('profile', { expires_in_days: 0 }), record('profile', { scope: 'x' })],
      record('profile', { key: 'x' }),
      ...[{ urls: ['x'] }, { urls: Array.from({ length: 21 }, (_none, at) => `https://${at}.test`) }].map((more) =>
        record('application', more),
      ),
      ...[
        { redirect_uris: ['x'] },
        { roles: ['x'] },
        { id_token_alg: 'none' },
        { icon: 'x' },
        { secret_hash: 'x' },
      ].map((more) => record('application', more)),
      record('application', { is_public: true, pkce_required: false }),
    ];

    const { report } = await importLines(t, place, lines);

    const messages: string[] = report.refusals.map(({ message }: { message: string }) => message);
    expect(messages).toHaveLength(lines.length - 2);
    expect(messages.filter((message) => !/^[A-Z"].*\.$/.test(message) || / --[a-z]|^--/.test(message))).toEqual([]);
  });

  test('accepts null in place of a list; if a list has an invalid item, the refusal names the list', async (t) => {
    const place = await migrated(t);
    const hash = 'a'.repeat(64);
    const coordinates = `215820${'11'.repeat(32)}225820${'22'.repeat(32)}`;
    const publicKey = Buffer.from(`a5010203262001${coordinates}`, 'hex').toString('base64url');

    const { report } = await importLines(t, place, [
      user('ada', { links: null, tokens: null, passkeys: null }),
      user('bob', { tokens: [{ name: 'deploy', token_hash: hash, allowed_apps: ['a\u0000b'] }] }),
      user('cyd', { passkeys: [{ credential_id: 'BBBB', public_key: publicKey, name: '' }] }),
    ]);

    expect(report.users.created).toBe(1);
    expect(report.refusals.map(({ line, field }: { line: number; field: string }) => [line, field])).toEqual([
      [2, 'tokens'],
      [3, 'passkeys'],
    ]);
  });

  test('records an event for each new user, and gives a link that two users claim to the first', async (t) => {
    const place = await migrated(t);
    const names = Array.from({ length: 150 }, (_none, at) => `user-${at}`);
    const lines = names.map((name, at) => user(name, { links: { codehost: at === 7 ? 6 : at } }));

    const dry = await importLines(t, place, lines, '--dry-run');
    const real = await importLines(t, place, lines);

    for (const { report } of [dry, real]) {
      expect(report.users.created).toBe(149);
      expect(report.refusals).toMatchObject([{ line: 8, code: 'LINK_TAKEN' }]);
    }
    const audit = await runCommand(t, place, ['audit', 'list', '--event', 'user.created', '--limit', '1000', '--json']);
    const events: { subject_id: number; subject_name: string }[] = JSON.parse(audit.stdout);
    const listed = await runCommand(t, place, ['user', 'list', '--json']);
    const users: { id: number; username: string }[] = JSON.parse(listed.stdout);
    expect(events.map((event) => `${event.subject_id} ${event.subject_name}`).sort()).toEqual(
      users.map(({ id, username }) => `${id} ${username}`).sort(),
    );
    expect(users.map(({ username }) => username)).toEqual(names.filter((_name, at) => at !== 7));
  });

  test('lists the first refusals by line, including those that are found after later lines were read', async (t) => {
    const place = await migrated(t);
    await importLines(t, place, [user('ada', { links: { codehost: 1 } })]);
    const broken = Array.from({ length: 101 }, () => 'broken');

    const { report } = await importLines(t, place, [user('bob', { links: { codehost: 1 } }), ...broken]);

    const lines = report.refusals.map(({ line }: { line: number }) => line);
    expect(lines).toEqual(Array.from({ length: 100 }, (_none, at) => at + 1));
    expect([report.refused, report.refusals[0].code]).toEqual([102, 'LINK_TAKEN']);
  });

  test('with updates keeps the later of two times of the last sign-in', async (t) => {
    const place = await migrated(t);
    const update = async (at: string | null) =>
      (await importLines(t, place, [user('ada', { last_login_at: at })], '--update')).report.users;
    const lastLogin = async () => JSON.parse((await exported(t, place))[0] ?? '').last_login_at;

    await update('2026-03-01T00:00:00Z');
    expect([await update('2026-02-01T00:00:00Z'), await update(null)]).toEqual([
      { created: 0, updated: 0, unchanged: 1 },
      { created: 0, updated: 0, unchanged: 1 },
    ]);
    expect(await lastLogin()).toBe('2026-03-01T00:00:00.000Z');
    expect((await update('2026-04-01T00:00:00Z')).updated).toBe(1);
    expect(await lastLogin()).toBe('2026-04-01T00:00:00.000Z');
  });
});
