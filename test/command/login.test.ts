import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listTokens } from '../../src/api-tokens/queries.ts';
import { setProfileState } from '../../src/device-login/set-profile-state.ts';
import { type Owner, runProgram } from '../lifecycle/support.ts';
import type { Client } from '../support/client.ts';
import { decide, seedProfile } from '../support/device-login.ts';
import { startApp, type TestApp } from '../support/start-app.ts';

const CODE = /\b[A-Z]{4}-[A-Z]{4}\b/;

/** Creates a machine with a person's home folder, and runs commands there. */
async function startMachine(t: Owner) {
  const home = await mkdtemp(join(tmpdir(), 'authsvc-home-'));
  t.onTestFinished(() => rm(home, { recursive: true, force: true }));
  const place = { url: '', folder: home, settings: { HOME: home, XDG_CONFIG_HOME: join(home, 'config') } };
  const run = (...args: string[]) => {
    const program = runProgram(t, place, args);
    const done = program.ended.then(({ code }) => ({ code, out: program.stdout(), err: program.stderr() }));
    const code = async (): Promise<string> => {
      while (program.isRunning() && !CODE.test(program.stderr())) await sleep(20);
      return CODE.exec(program.stderr())?.[0] ?? `no code: ${program.stderr()}`;
    };
    return { done, code, kill: program.signal };
  };
  return { run, file: join(home, 'config/authsvc/tokens.json') };
}

/** Each test waits for polls, which are five seconds apart. */
describe('authsvc login, whoami and logout', { timeout: 90_000 }, () => {
  let app: TestApp;
  let profile: { key: string };
  const stops: (() => Promise<void>)[] = [];
  const owner: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };

  beforeAll(async () => {
    app = await startApp(owner, { database: 'sqlite' });
    profile = await seedProfile(app, { scope: 'write' });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  const machine = () => startMachine(owner);
  const args = (...more: string[]) => ['login', '--server', app.url, '--profile', profile.key, ...more];
  const newPerson = async (): Promise<{ id: number; username: string; browser: Client }> => {
    const person = await app.seedUser();
    return { ...person, browser: await app.signIn(person) };
  };
  const tokensOf = (userId: number) => listTokens.all(app.services.database, { userId });

  test.concurrent('after the approval the token is stored for its owner only, shown by whoami, and ended by logout', async () => {
    const [here, person] = [await machine(), await newPerson()];

    const login = here.run(...args('--client-name', 'my laptop', '--json'));
    const userCode = await login.code();
    const page = await person.browser.page(`/authsvc/cli/device/${userCode}`);
    await decide(person.browser, { userCode, deviceCode: '' });
    const signedIn = await login.done;
    const kept = await readFile(here.file, 'utf8');
    const { mode } = await stat(here.file);
    const who = await here.run('whoami', '--json').done;
    const plain = await here.run('whoami').done;
    const left = await here.run('logout').done;
    const after = await here.run('whoami').done;

    expect(page.text).toContain('my laptop');
    expect(signedIn).toMatchObject({
      code: 0,
      err: expect.stringContaining(`${app.url.replace('127.0.0.1', 'localhost')}/authsvc/cli/device/${userCode}`),
    });
    expect(JSON.parse(signedIn.out)).toEqual({ server: app.url, username: person.username });
    expect(kept).toMatch(/"tok_[0-9a-f]{64}"/);
    expect(mode & 0o777).toBe(0o600);
    expect(JSON.parse(who.out)).toMatchObject({
      server: app.url,
      username: person.username,
      scope: 'write',
      allowed_apps: ['authsvc'],
    });
    expect(plain.out).toContain(person.username);
    expect([left.code, after.code]).toEqual([0, 1]);
    expect(after.err).toContain('not signed in');
    expect(await tokensOf(person.id)).toEqual([]);
  });

  test.concurrent('a second sign-in revokes the token of the first', async () => {
    const [here, person] = [await machine(), await newPerson()];

    for (let round = 0; round < 2; round += 1) {
      const login = here.run(...args());
      await decide(person.browser, { userCode: await login.code(), deviceCode: '' });
      expect((await login.done).code).toBe(0);
    }

    expect(await tokensOf(person.id)).toHaveLength(1);
    expect((await here.run('whoami', '--server', app.url).done).code).toBe(0);
  });

  test.concurrent('a tokens.json that is a symbolic link stays a link, and the token is written to its target', async () => {
    const [here, person] = [await machine(), await newPerson()];
    const target = join(dirname(dirname(dirname(here.file))), 'dotfiles/tokens.json');
    await mkdir(dirname(here.file), { recursive: true });
    await symlink(target, here.file);

    const login = here.run(...args());
    await decide(person.browser, { userCode: await login.code(), deviceCode: '' });
    expect((await login.done).code).toBe(0);
    const kept = await readFile(target, 'utf8');
    const isLink = async () => (await lstat(here.file)).isSymbolicLink();

    expect([await isLink(), kept.includes(person.username), (await stat(target)).mode & 0o777]).toEqual([
      true,
      true,
      0o600,
    ]);
    expect((await here.run('logout').done).code).toBe(0);
    expect(await isLink()).toBe(true);
    await expect(stat(target)).rejects.toThrow('ENOENT');
    expect((await here.run('whoami').done).err).toContain('not signed in');
  });

  describe('a hostile server', () => {
    const HOSTILE = 'ada\u202egnp\u001b[2J\u009b31m\u2066';

    /** Starts a server that answers every request with this body, and a machine that has a token for the server. */
    async function hostile(body: Record<string, unknown>, status = 200) {
      const server = createServer((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
      const here = await machine();
      await mkdir(dirname(here.file), { recursive: true });
      const saved = { current: url, tokens: [{ server: url, username: 'ada', token: `tok_${'0'.repeat(64)}` }] };
      await writeFile(here.file, JSON.stringify(saved));
      return { here, url };
    }
    const facts = (text: string) => ({
      ...{ success: true, tokenValid: true, username: text, expiresAt: null },
      permissions: { scope: 'write', allowed_apps: [text] },
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not appear in the output.
    const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Bidi_Control}]/u;

    test('cannot change the terminal through the output of whoami', async () => {
      const { here } = await hostile(facts(HOSTILE));

      for (const args of [['whoami'], ['whoami', '--json']]) {
        const { code, out, err } = await here.run(...args).done;
        expect([args, code, ACTIVE.test(out + err)]).toEqual([args, 0, false]);
        expect(out).toContain('ada');
      }
    });

    test('cannot change the terminal through its errors either', async () => {
      const { here } = await hostile({ success: false, message: HOSTILE, hint: HOSTILE, code: HOSTILE }, 500);

      const { code, out, err } = await here.run('whoami').done;

      expect([code, ACTIVE.test(out + err), err.includes('ada')]).toEqual([1, false, true]);
    });

    test.each([
      'https://evil.example/authsvc/cli/device/BCDF-GHJK',
      'file:///etc/passwd',
      'http://evil.example\u202e/',
    ])('cannot send people to %s for the approval', async (verification_url) => {
      const { here, url } = await hostile(
        {
          ...{ success: true, verification_url, user_code: 'BCDF-GHJK', device_code: '0'.repeat(48) },
          ...{ expires_in: 900, interval: 5, client_name: 'x', profile: { name: 'y' } },
        },
        201,
      );

      const { code, out, err } = await here.run('login', '--server', url, '--profile', 'backup-tools').done;

      expect([code, out, ACTIVE.test(err), CODE.test(err)]).toEqual([1, '', false, false]);
      expect(err).toMatch(/sends people to .* for the approval|sent no web address for the approval/);
    });
  });

  test.concurrent('a denied request is reported, and nothing is saved', async () => {
    const [here, person] = [await machine(), await newPerson()];

    const login = here.run(...args());
    await decide(person.browser, { userCode: await login.code(), deviceCode: '' }, 'deny');
    const { code, err } = await login.done;

    expect([code, /denied/.test(err)]).toEqual([1, true]);
    await expect(stat(here.file)).rejects.toThrow('ENOENT');
  });

  test.concurrent('an expired request is reported', async () => {
    const here = await machine();
    const own = await seedProfile(app);

    const login = here.run('login', '--server', app.url, '--profile', own.key);
    await login.code();
    await setProfileState(app.change(), own.key, false);
    const { code, err } = await login.done;

    expect([code, /in time/.test(err)]).toEqual([1, true]);
  });

  test.concurrent('Ctrl-C ends the login at once, and a message says so', async () => {
    const here = await machine();

    const login = here.run(...args());
    await login.code();
    login.kill('SIGINT');
    const { code, err } = await login.done;

    expect([code, /Stopped/.test(err)]).toEqual([1, true]);
    expect(err).not.toMatch(/^\s+at .+:\d+/m);
  });

  test.concurrent('an unreachable server, an unknown profile and wrong usage each have their own message', async () => {
    const here = await machine();

    const gone = await here.run('login', '--server', 'http://127.0.0.1:9', '--profile', 'cli-default').done;
    const unknown = await here.run('login', '--server', app.url, '--profile', 'no-such-profile').done;
    const usage = await here.run('login', '--server', 'nonsense', '--profile', 'cli-default').done;
    const nothing = await here.run('logout').done;

    expect([gone.code, unknown.code, usage.code, nothing.code]).toEqual([1, 1, 2, 1]);
    expect(gone.err).toContain('http://127.0.0.1:9 cannot be reached');
    expect(unknown.err).toContain('There is no such profile');
    expect([gone, unknown, usage, nothing].map(({ err }) => /^\s+at .+:\d+/m.test(err))).toEqual(Array(4).fill(false));
  });

  test.concurrent('if no token can be saved, that is reported before the login starts', async () => {
    const [here, other] = [await machine(), await machine()];
    await symlink('/nowhere/at all', dirname(dirname(here.file)));
    await mkdir(dirname(other.file), { recursive: true });
    await writeFile(other.file, 'no json');

    const [noFolder, damaged] = await Promise.all([here.run(...args()).done, other.run(...args()).done]);

    expect([noFolder.code, damaged.code]).toEqual([1, 1]);
    expect(noFolder.err).toContain('The token cannot be saved in');
    expect(damaged.err).toContain('is damaged');
    expect(`${noFolder.err}${damaged.err}`).not.toMatch(CODE);
  });

  test.concurrent('if the new token cannot be saved after all, it is revoked, and no other token is revoked', async () => {
    const [here, person] = [await machine(), await newPerson()];
    const first = here.run(...args());
    await decide(person.browser, { userCode: await first.code(), deviceCode: '' });
    await first.done;
    const before = await tokensOf(person.id);

    const second = here.run(...args());
    const userCode = await second.code();
    await writeFile(here.file, 'no json');
    await decide(person.browser, { userCode, deviceCode: '' });
    const { code, err } = await second.done;

    expect([code, /damaged/.test(err)]).toEqual([1, true]);
    expect(await tokensOf(person.id)).toEqual(before);
  });

  test.concurrent('with a revoked token the person is not signed in, and an unreachable server does not remove the token', async () => {
    const [here, person] = [await machine(), await newPerson()];
    const login = here.run(...args());
    await decide(person.browser, { userCode: await login.code(), deviceCode: '' });
    await login.done;
    const kept = await readFile(here.file, 'utf8');

    for (const { id } of await tokensOf(person.id)) await person.browser.delete(`/api/token/${id}`);
    const revoked = await here.run('whoami').done;
    await writeFile(here.file, kept.replaceAll(app.url, 'http://127.0.0.1:9'));
    const away = await here.run('logout').done;
    await writeFile(here.file, kept.replaceAll(app.url, 'nowhere'));
    const placeless = await here.run('whoami').done;
    await writeFile(here.file, 'no json');
    const damaged = await here.run('whoami').done;

    expect([revoked.code, away.code, placeless.code, damaged.code]).toEqual([1, 1, 1, 1]);
    expect(placeless.err).toContain('You are not signed in');
    expect(revoked.err).toContain('not valid any more');
    expect(away.err).toContain('stays valid');
    expect(damaged.err).toContain('damaged');
  });
});
