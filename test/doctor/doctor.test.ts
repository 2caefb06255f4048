import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { hash as bcrypt } from 'bcrypt';
import { SMTPServer } from 'smtp-server';
import { expect, test, vi } from 'vitest';
import { checkNames } from '../../src/doctor/finding.ts';
import { addUser, type Owner, PASSWORD, runCommand } from '../lifecycle/support.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startOAuthServer } from '../support/oauth-server.ts';
import { freePort } from '../support/postgres.ts';
import { prepare, runDoctor, skippedOn, start } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

const OTHER_SECRET = 'another-secret-of-enough-length-0123456789';
/** The library that gives a program a wrong system time. */
const FAKETIME = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find(existsSync);
if (!FAKETIME) process.stderr.write('faketime is not installed, its tests are left out: apt-get install faketime\n');

const filesOf = (folder: string): string[] => readdirSync(folder).sort();

/** Starts a server that accepts connections and never answers. */
async function startSilence(t: Owner): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.onTestFinished(async () => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

/** Starts a mail server that accepts no password. Returns its port. */
async function startStrictMailServer(t: Owner): Promise<number> {
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => done(new Error(`no ${username} with ${password}`)),
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

eachDatabase('the doctor', (kind) => {
  test('finds no fault in a running service, creates no files, and prints no secret', async (t) => {
    const place = await start(t, kind);
    const before = filesOf(place.folder);

    const report = await runDoctor(t, place);
    const { code, stdout } = await runCommand(t, place, ['doctor']);

    expect(report.checks.map(({ name }) => name)).toEqual(checkNames);
    expect([report.notOk, code]).toEqual([skippedOn[kind], 0]);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ +/)[1]),
    ).toEqual(checkNames);
    for (const secret of ['session-secret-of', PASSWORD, new URL(place.url).password || 'no-password'])
      expect(report.stdout + stdout).not.toContain(secret);
    expect(filesOf(place.folder)).toEqual(before);
  });

  test('does not change a database that no service uses, and says that no service answers', async (t) => {
    const place = await prepare(t, kind);
    const before = filesOf(place.folder);

    const report = await runDoctor(t, place);

    expect(report.notOk).toEqual({ ...skippedOn[kind], 'base-url': 'failed', proxy: 'skipped' });
    expect(report.wordsOf('base-url')).toMatch(/nothing listens there.*Start the service/);
    expect(filesOf(place.folder)).toEqual(before);
  });

  test('reports a database that does not exist or cannot be reached, and creates none', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const away = `postgres://postgres@127.0.0.1:${await freePort()}/none`;
    const url = kind === 'sqlite' ? `sqlite:${join(fresh.folder, 'deep', 'none.sqlite')}` : away;

    const report = await runDoctor(t, { folder: fresh.folder, url });

    expect(report.notOk).toMatchObject({
      database: 'failed',
      migrations: 'skipped',
      secrets: 'skipped',
      clock: 'skipped',
    });
    expect(report.wordsOf('database')).toMatch(kind === 'sqlite' ? /There is no database/ : /no server listens/);
    expect(filesOf(fresh.folder)).toEqual([]);
  });

  test('says that an empty database needs migrations', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    if (kind === 'sqlite') await writeFile(fresh.url.slice('sqlite:'.length), '');

    const report = await runDoctor(t, fresh);

    expect(report.notOk).toMatchObject({ migrations: 'failed', superadmin: 'skipped' });
    expect(report.wordsOf('migrations')).toMatch(/is empty.*migrate/);
    expect(report.notOk).not.toHaveProperty('database');
  });

  test('lists every invalid setting, and skips the other checks', async (t) => {
    const place = await prepare(t, kind);

    const report = await runDoctor(t, { ...place, settings: { COOKIE_EXPIRE_TIME: 'soon', IS_DEPLOYED: 'perhaps' } });

    expect(report.wordsOf('settings')).toMatch(/COOKIE_EXPIRE_TIME.*IS_DEPLOYED|IS_DEPLOYED.*COOKIE_EXPIRE_TIME/);
    const others = checkNames.filter((name) => name !== 'node' && name !== 'settings');
    expect(report.notOk).toEqual({
      settings: 'failed',
      ...Object.fromEntries(others.map((name) => [name, 'skipped'])),
    });
  });

  test('finds templates with which the service would not start', async (t) => {
    const place = await prepare(t, kind);
    await mkdir(join(place.folder, 'looks'));
    await writeFile(join(place.folder, 'looks', 'login.eta'), '<% it.nothing.at.all %>');

    const report = await runDoctor(t, { ...place, settings: { TEMPLATES_FOLDER: join(place.folder, 'looks') } });

    expect([report.notOk.settings, report.notOk.database]).toEqual(['failed', 'skipped']);
    expect(report.wordsOf('settings')).toContain('login');
  });

  test('with a wrong SESSION_SECRET_KEY, counts the users whose secrets this key cannot open', async (t) => {
    const place = await prepare(t, kind);
    await addUser(t, place, 'ada');
    await runCommand(t, place, ['2fa', 'enable', 'ada']);
    const line = JSON.stringify({ username: 'grace', password_hash: await bcrypt('red-horse', 4) });
    expect((await runCommand(t, place, ['import', '-'], line)).code).toBe(0);
    const settings = { ...place.settings, SESSION_SECRET_KEY: OTHER_SECRET };

    const right = await runDoctor(t, place);
    const wrong = await runDoctor(t, { ...place, settings });

    expect(right.notOk).not.toHaveProperty('secrets');
    expect(wrong.notOk.secrets).toBe('failed');
    expect(wrong.wordsOf('secrets')).toMatch(/of 2 users.*SESSION_SECRET_KEY=NEW,OLD/);
  });

  test('finds a wrong secret even if no user has a second factor', async (t) => {
    const place = await start(t, kind);

    const report = await runDoctor(t, { ...place, settings: { ...place.settings, SESSION_SECRET_KEY: OTHER_SECRET } });

    expect(report.notOk).toMatchObject({ secrets: 'failed', 'base-url': 'failed', proxy: 'skipped' });
    expect(report.wordsOf('base-url')).toContain('or another SESSION_SECRET_KEY');
  });

  test('finds a secret file that other accounts can read', async (t) => {
    const place = await prepare(t, kind, { SESSION_SECRET_KEY: '' });
    const file = join(place.folder, kind === 'sqlite' ? 'session-secret' : 'data/session-secret');

    const before = await runDoctor(t, place);
    await chmod(file, 0o644);
    const report = await runDoctor(t, place);

    expect(before.notOk).not.toHaveProperty('secrets');
    expect(report.notOk.secrets).toBe('failed');
    expect(report.wordsOf('secrets')).toContain(`chmod 600 ${file}`);
  });

  test('finds that no superadmin can sign in, or that one has no second factor', async (t) => {
    const place = await prepare(t, kind, { AUTHSVC_TWO_FA_ENABLE: 'true' });

    const bare = await runDoctor(t, place);
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    await runCommand(t, fresh, ['migrate']);
    const none = await runDoctor(t, fresh);

    expect([bare.notOk.superadmin, none.notOk.superadmin]).toEqual(['warning', 'failed']);
    expect(none.wordsOf('superadmin')).toMatch(/user add NAME --role superadmin/);
  });

  test.skipIf(!FAKETIME)('finds a clock that is five minutes slow', async (t) => {
    const place = await start(t, kind);
    const login = await place.service.client().login({ username: 'root', password: PASSWORD });
    expect(login.status).toBe(200);

    const settings = { ...place.settings, LD_PRELOAD: FAKETIME ?? '', FAKETIME: '-5m' };
    const report = await runDoctor(t, { ...place, settings });

    expect(report.notOk.clock).toBe('failed');
    expect(report.wordsOf('clock')).toMatch(kind === 'sqlite' ? / s in the future/ : /\b30\d s behind/);
    expect(report.wordsOf('base-url')).toContain('set the clocks');
  });

  test('finds a DOMAIN that does not cover BASE_URL', async (t) => {
    const place = await prepare(t, kind, { DOMAIN: 'example.com', BASE_URL: 'http://auth.example.org:1' });

    const report = await runDoctor(t, place);

    expect(report.notOk.cookies).toBe('failed');
    expect(report.wordsOf('cookies')).toMatch(/example\.com.*auth\.example\.org/);
  });

  test('finds providers that lack credentials or do not answer', async (t) => {
    const working = await startOAuthServer(t);
    const place = await prepare(t, kind);
    const dead = `http://127.0.0.1:${await freePort()}`;
    const websso = { WEBSSO_LOGIN_ENABLED: 'true', WEBSSO_CLIENT_ID: 'x', WEBSSO_CLIENT_SECRET: 'y-secret' };
    const run = (settings: Record<string, string>) =>
      runDoctor(t, { ...place, settings: { ...place.settings, ...settings } });

    const [fine, away, bare] = await Promise.all([
      run(working.settings),
      run({ ...working.settings, ...websso, WEBSSO_ISSUER: dead }),
      run({ CODEHOST_LOGIN_ENABLED: 'true' }),
    ]);

    expect(fine.notOk).not.toHaveProperty('providers');
    expect([away.notOk.providers, bare.notOk.providers]).toEqual(['failed', 'failed']);
    expect(away.wordsOf('providers')).toMatch(/^websso: .*WEBSSO_ISSUER.*nothing listens there/);
    expect(bare.wordsOf('providers')).toContain('CODEHOST_APP_CLIENT_ID');
    expect(away.stdout).not.toContain('y-secret');
  });

  test('tries the mail server, and distinguishes a wrong server from a wrong password', async (t) => {
    const working = await startMailServer();
    t.onTestFinished(working.close);
    const strict = await startStrictMailServer(t);
    const place = await prepare(t, kind);
    const run = (url: string) =>
      runDoctor(t, { ...place, settings: { ...place.settings, SMTP_URL: url, MAIL_FROM: 'auth@example.test' } });

    const [fine, away, refused, plain] = await Promise.all([
      run(working.settings.SMTP_URL ?? ''),
      run(`smtp://127.0.0.1:${await freePort()}`),
      run(`smtp://ada:wrong-secret@127.0.0.1:${strict}`),
      run(working.settings.SMTP_URL?.replace('smtp:', 'smtps:') ?? ''),
    ]);

    expect(fine.notOk).not.toHaveProperty('mail');
    expect([away.notOk.mail, refused.notOk.mail, plain.notOk.mail]).toEqual(['failed', 'failed', 'failed']);
    expect(away.wordsOf('mail')).toContain('nothing listens there');
    expect(refused.wordsOf('mail')).toMatch(/refuses the user or the password.*SMTP_URL/);
    expect(refused.stdout).not.toContain('wrong-secret');
    expect(plain.wordsOf('mail')).toContain('does not speak TLS');
  });

  test('reports an incomplete answer if an answer never ends', async (t) => {
    const place = await prepare(t, kind);
    const server = createHttpServer((_, reply) => reply.writeHead(200).write('{')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.onTestFinished(async () => server.closeAllConnections());
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;

    const report = await runDoctor(t, {
      ...place,
      settings: { ...place.settings, BASE_URL: `http://127.0.0.1:${port}` },
    });

    expect(report.wordsOf('base-url')).toContain('no answer came within 4 seconds');
  });

  test('ends in time if nothing answers', async (t) => {
    const place = await prepare(t, kind);
    const silent = await startSilence(t);
    const settings = {
      ...place.settings,
      BASE_URL: `http://${silent}`,
      SMTP_URL: `smtp://${silent}`,
      MAIL_FROM: 'auth@example.test',
      WEBSSO_LOGIN_ENABLED: 'true',
      WEBSSO_CLIENT_ID: 'x',
      WEBSSO_CLIENT_SECRET: 'y',
      WEBSSO_ISSUER: `http://${silent}`,
      ...(kind === 'postgres' ? { DATABASE_URL: `postgres://postgres:x@${silent}/none` } : {}),
    };

    const from = performance.now();
    const report = await runDoctor(t, { ...place, settings });

    expect(performance.now() - from).toBeLessThan(20_000);
    const late = { 'base-url': 'failed', providers: 'failed', mail: 'failed' };
    expect(report.notOk).toMatchObject(kind === 'postgres' ? { ...late, database: 'failed' } : late);
  });
});
