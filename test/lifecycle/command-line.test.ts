import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decide, poll, requestToken } from '../support/device-login.ts';
import { type DatabaseKind, eachDatabase, type FreshDatabase, freshDatabase } from '../support/each-database.ts';
import { type Outcome, PASSWORD, runCommand, type Service, startService } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

/** Creates a database, and a service on it, for all tests of a block. */
function sharedService(kind: DatabaseKind, settings: Record<string, string> = {}) {
  const stops: (() => Promise<void>)[] = [];
  const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.push(stop) };
  let place: FreshDatabase | undefined;
  let service: Service | undefined;
  beforeAll(async () => {
    place = await freshDatabase(kind);
    service = await startService(owner, { ...place, settings });
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    await place?.drop();
  });
  const started = () => {
    if (!place || !service) throw new Error('the service is there only while a test runs');
    return { place, service };
  };
  return {
    /** The database, without other settings. */
    place: { owner, get: () => started().place },
    client: () => started().service.client(),
    run: (args: readonly string[], input: string | Uint8Array = '') =>
      runCommand(owner, { ...started().place, settings }, args, input),
    /** Runs a command with --json, which must succeed. Returns its parsed output. */
    json: async (args: readonly string[], input = '') => {
      const outcome = await runCommand(owner, { ...started().place, settings }, [...args, '--json'], input);
      expect([args, outcome.code, outcome.stderr]).toEqual([args, 0, '']);
      expect(outcome.stdout.trim().split('\n')).toHaveLength(1);
      return outcome.json;
    },
  };
}

/**
 * Checks that a command was refused (1) or had invalid input (2). The reason is on stderr, without a stack trace, and
 * stdout is empty.
 */
function expectRefusal(outcome: Outcome, code: 1 | 2, reason: RegExp): void {
  expect([outcome.code, outcome.stdout]).toEqual([code, '']);
  expect(outcome.stderr).toMatch(reason);
  expect(outcome.stderr).not.toMatch(/^\s+at .+:\d+:\d+|node_modules/m);
}

const FROM_STDIN = '--password-stdin';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

eachDatabase('authsvc user, while the server runs', (kind) => {
  const cli = sharedService(kind, { ROLES: 'editor' });
  const add = (name: string, ...options: string[]) => cli.json(['user', 'add', name, FROM_STDIN, ...options], PASSWORD);

  test('warns about unregistered applications once other applications are registered', async () => {
    await cli.json(['app', 'add', 'portal', '--name', 'Portal']);

    const added = await cli.run(
      ['user', 'add', 'apt', FROM_STDIN, '--app', 'Portal', '--app', 'AUTHSVC', '--app', 'wkii', '--json'],
      PASSWORD,
    );
    const changed = await cli.run(['user', 'set', 'apt', '--app', 'wkii', '--app', 'authsvc', '--json']);
    const invited = await cli.run(['user', 'invite', 'guest', '--app', 'authsvc', '--app', 'wkii', '--json']);
    const profile = await cli.run(['profile', 'add', 'Tools', '--app', 'portal', '--app', 'wkii', '--json']);
    const silent = await cli.run(['user', 'set', 'apt', '--app', 'portal', '--app', 'authsvc', '--json']);
    await cli.json(['app', 'remove', 'portal']);
    const unregistered = await cli.run(['user', 'set', 'apt', '--app', 'wkii', '--app', 'authsvc', '--json']);

    expect(added.json).toMatchObject({ allowed_apps: ['Portal', 'AUTHSVC', 'wkii'] });
    for (const { code, stderr } of [added, changed, invited, profile]) {
      expect([code, stderr.trim().split('\n')]).toEqual([
        0,
        [
          expect.stringMatching(
            /^No application "wkii" is registered\. Check the spelling, or register it: .*app add\.$/,
          ),
        ],
      ]);
    }
    expect([silent.stderr, unregistered.stderr]).toEqual(['', '']);
    for (const name of ['apt', 'guest']) await cli.json(['user', 'remove', name, '--yes']);
  });

  test('warns about a list of applications with which a user cannot sign in to authsvc', async () => {
    const lists = [
      ['--app', 'portal'],
      ['--app', ''],
      ['--app', 'portal', '--role', 'superadmin'],
      ['--app', 'AUTHSVC'],
      ['--full-name', 'Max'],
    ];
    await add('max');

    const said: string[] = [];
    for (const options of lists) said.push((await cli.run(['user', 'set', 'max', ...options, '--json'])).stderr.trim());

    const warning = 'The list lacks authsvc (APP_NAME). Without it, only superadmins can sign in.';
    expect(said).toEqual([warning, warning, '', '', '']);
    await cli.json(['user', 'remove', 'max', '--yes']);
  });

  test('add prints the user, who can sign in at once', async () => {
    const user = await add(
      'Zoë',
      '--full-name',
      'Zoë <Doe>',
      '--app',
      'authsvc',
      '--app',
      'b',
      '--image',
      'https://img.example.test/z.png',
    );

    expect(user).toEqual({
      id: expect.any(Number),
      user_id: expect.any(Number),
      sub: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      username: 'Zoë',
      full_name: 'Zoë <Doe>',
      role: 'normaluser',
      is_active: true,
      allowed_apps: ['authsvc', 'b'],
      image: 'https://img.example.test/z.png',
      email: null,
      two_factor_enabled: false,
      created_at: expect.stringMatching(ISO),
      last_login_at: null,
    });
    expect((await cli.client().login({ username: 'zoë', password: PASSWORD })).status).toBe(200);
    expect(await cli.json(['user', 'show', 'ZOË'])).toMatchObject({
      username: 'Zoë',
      has_password: true,
      last_login_at: expect.stringMatching(ISO),
    });
  });

  test('set changes only the given fields, and the open session shows the change at once', async () => {
    const added = await add('bea', '--full-name', 'Bea');
    const client = cli.client();
    await client.login({ username: 'bea', password: PASSWORD });
    expect((await client.get('/authsvc/validate-superadmin')).status).toBe(403);

    const changed = await cli.json(['user', 'set', 'bea', '--role', 'superadmin']);

    expect(changed).toMatchObject({ ...Object(added), role: 'superadmin', last_login_at: expect.stringMatching(ISO) });
    expect((await client.get('/authsvc/validate-superadmin')).status).toBe(200);
    await cli.run(['user', 'set', 'bea', '--role', 'normaluser', '--app', 'elsewhere']);
    expect(await client.isSignedIn()).toBe(false);
    expect((await cli.client().login({ username: 'bea', password: PASSWORD })).status).toBe(403);
  });

  test('an address that the operator sets is valid at once, and can be removed', async () => {
    expect(await add('mia', '--email', 'Mia@Example.Test')).toMatchObject({ email: 'Mia@example.test' });
    expect(await cli.json(['user', 'set', 'mia', '--email', 'mia@box.test'])).toMatchObject({ email: 'mia@box.test' });
    for (const bad of ['mia', 'mia@box.test\r\nBcc: eve@box.test'])
      expectRefusal(await cli.run(['user', 'set', 'mia', '--email', bad]), 2, /e-mail address/);
    expect(await cli.json(['user', 'show', 'mia'])).toMatchObject({ email: 'mia@box.test' });
    expect(await cli.json(['user', 'set', 'mia', '--email', ''])).toMatchObject({ email: null });
  });

  test('a role of the setting ROLES is accepted by add and set', async () => {
    expect(await add('edda', '--role', 'editor')).toMatchObject({ role: 'editor' });
    expect(await cli.json(['user', 'set', 'edda', '--role', 'normaluser'])).toMatchObject({ role: 'normaluser' });
    expect(await cli.json(['user', 'set', 'edda', '--role', 'editor'])).toMatchObject({ role: 'editor' });
    expect(await cli.json(['user', 'show', 'edda'])).toMatchObject({ role: 'editor' });
  });

  test('set --inactive ends the sessions for good, --active lets the user sign in again', async () => {
    await add('cleo');
    const client = cli.client();
    await client.login({ username: 'cleo', password: PASSWORD });

    expect(await cli.json(['user', 'set', 'cleo', '--inactive'])).toMatchObject({ is_active: false });
    expect(await client.isSignedIn()).toBe(false);
    expect((await cli.client().login({ username: 'cleo', password: PASSWORD })).status).toBe(403);
    expect(await cli.json(['user', 'set', 'cleo', '--active'])).toMatchObject({ is_active: true });

    expect(await client.isSignedIn()).toBe(false);
    expect((await cli.client().login({ username: 'cleo', password: PASSWORD })).status).toBe(200);
  });

  test('password: the new one is valid at once, and the sessions end', async () => {
    await add('dora');
    const client = cli.client();
    await client.login({ username: 'dora', password: PASSWORD });

    await cli.json(['user', 'password', 'dora', FROM_STDIN], 'the-newer-password\n');

    expect(await client.isSignedIn()).toBe(false);
    expect((await cli.client().login({ username: 'dora', password: PASSWORD })).status).toBe(401);
    expect((await cli.client().login({ username: 'dora', password: 'the-newer-password' })).status).toBe(200);
  });

  test('password and --inactive end approved device logins whose token was not fetched', async () => {
    const key = `p-${randomUUID().slice(0, 8)}`;
    await cli.json(['profile', 'add', 'Approved before', '--key', key]);
    for (const [name, change] of [
      ['ines', ['password', 'ines', FROM_STDIN]],
      ['iris', ['set', 'iris', '--inactive']],
    ] as const) {
      await add(name);
      const client = cli.client();
      await client.login({ username: name, password: PASSWORD });
      const codes = await requestToken(client, key);
      expect((await decide(client, codes)).body.status).toBe('approved');

      await cli.json(['user', ...change], 'the-newer-password\n');
      if (name === 'iris') await cli.json(['user', 'set', 'iris', '--active']);

      expect((await poll(client, codes)).body).toMatchObject({ status: 'denied' });
      expect(await cli.json(['token', 'list', name])).toEqual([]);
    }
  });

  test('simultaneous changes of different fields of a user are all made', async () => {
    for (let round = 0; round < 4; round += 1) {
      const name = `meg${round}`;
      await add(name, '--role', 'superadmin');
      const set = (...options: string[]) => cli.run(['user', 'set', name, ...options]);

      await Promise.all([
        set('--inactive'),
        set('--full-name', 'Meg'),
        set('--role', 'normaluser'),
        set('--app', 'elsewhere'),
      ]);

      expect(await cli.json(['user', 'show', name])).toMatchObject({
        is_active: false,
        full_name: 'Meg',
        role: 'normaluser',
        allowed_apps: ['elsewhere'],
      });
    }
  });

  test('only one of several simultaneous removals of a user succeeds', async () => {
    await add('nat');
    const outcomes = await Promise.all([1, 2, 3].map(() => cli.run(['user', 'remove', 'nat', '--yes'])));

    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
  });

  test('remove: the user and the sessions are gone at once, and the name can be used again with another id', async () => {
    const removed = await add('emil');
    const client = cli.client();
    await client.login({ username: 'emil', password: PASSWORD });

    await cli.json(['user', 'remove', 'emil']);

    expect(await client.isSignedIn()).toBe(false);
    expect((await cli.client().login({ username: 'emil', password: PASSWORD })).status).toBe(404);
    expectRefusal(await cli.run(['user', 'show', 'emil']), 1, /no user called "emil"/);
    expect(Object(await add('emil')).id).toBeGreaterThan(Object(removed).id);
    expect(await client.isSignedIn()).toBe(false);
  });

  test('list shows every user once, and never a password hash', async () => {
    const { stdout } = await cli.run(['user', 'list', '--json']);
    const names = Array.from(Object(JSON.parse(stdout)), (user) => Object(user).username);

    expect(names).toContain('superadmin');
    expect(new Set(names).size).toBe(names.length);
    expect(stdout).not.toMatch(/argon2|hash|"password/);
  });
});

eachDatabase('authsvc session, while the server runs', (kind) => {
  const cli = sharedService(kind);

  async function signedIn(name: string) {
    await cli.json(['user', 'add', name, FROM_STDIN], PASSWORD);
    const clients = [cli.client(), cli.client()];
    for (const client of clients) {
      const headers = { 'user-agent': 'a\x9bbrowser' };
      await client.login({ username: name, password: PASSWORD }, { headers, address: '203.0.113.5' });
    }
    return clients;
  }
  const idsOf = async (name: string) =>
    Array.from(Object(await cli.json(['session', 'list', name])), (one) => String(Object(one).session_id));

  test('list shows the sessions of one user, oldest first, with their addresses and browsers', async () => {
    await signedIn('ada');

    const sessions = await cli.json(['session', 'list', 'ada']);

    const session = {
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: expect.any(Number),
      username: 'ada',
      method: 'password',
      address: '203.0.113.5',
      user_agent: expect.stringMatching(/^a\S? browser$/),
      created_at: expect.stringMatching(ISO),
      expires_at: expect.stringMatching(ISO),
    };
    expect(sessions).toEqual([session, session]);
  });

  test('revoke ends one session at once, whatever the case of its id, and only once', async () => {
    const [first, second] = await signedIn('bea');
    const [id = ''] = await idsOf('bea');

    await cli.json(['session', 'revoke', id.toUpperCase()]);

    expect([await first?.isSignedIn(), await second?.isSignedIn()]).toEqual([false, true]);
    expectRefusal(await cli.run(['session', 'revoke', id]), 1, /no session/);
    expectRefusal(await cli.run(['session', 'revoke', randomUUID()]), 1, /no session/);
    expectRefusal(await cli.run(['session', 'revoke', "x' or 1=1"]), 1, /no session/);
  });

  test('revoke-all ends the sessions of one user, or of all users, and says how many', async () => {
    const cleo = await signedIn('cleo');
    const dora = await signedIn('dora');

    expect(await cli.json(['session', 'revoke-all', 'cleo'])).toMatchObject({ revoked: 2 });
    expect(await Promise.all([...cleo, ...dora].map((client) => client.isSignedIn()))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expectRefusal(await cli.run(['session', 'revoke-all', 'nobody']), 1, /no user called "nobody"/);
    await cli.json(['session', 'revoke-all']);

    expect(await Promise.all(dora.map((client) => client.isSignedIn()))).toEqual([false, false]);
    expect(await cli.json(['session', 'list'])).toEqual([]);
  });
});

eachDatabase('authsvc migrate', (kind) => {
  const cli = sharedService(kind);

  test('--status shows the applied migrations, and afterwards there is nothing to do', async () => {
    expect(await cli.json(['migrate', '--status'])).toMatchObject({
      applied: expect.arrayContaining(['0001-users-and-sessions', '0002-rate-limits']),
      pending: [],
      unknown: [],
    });
    expect(await cli.json(['migrate'])).toEqual({ applied: [] });
    expect((await cli.run(['migrate'])).stdout).toMatch(/up to date/i);
  });
});

describe('authsvc user', () => {
  const cli = sharedService('sqlite');
  const add = (name: string, options: string[] = [], input = PASSWORD) =>
    cli.run(['user', 'add', name, FROM_STDIN, '--json', ...options], input);

  test('names are trimmed, converted to NFKC, stored as written and unique without regard to case', async () => {
    expect((await add('  ﬁnn ')).json).toMatchObject({ username: 'finn' });
    expect((await add('MiXed')).json).toMatchObject({ username: 'MiXed' });

    for (const taken of ['FINN', 'finn', 'mixed', ' MIXED']) expectRefusal(await add(taken), 1, /already a user/);
  });

  test.each(['', '   ', 'n'.repeat(256), 'a\nb', 'a\u200Bb', 'a\u3164', 'a  b', 'stats', 'STATS', 'аdmin'])(
    'the name %j is refused',
    async (name) => {
      expectRefusal(await add(name), 2, /cannot be a username/);
    },
  );

  test.each([
    ['', /at least 8 characters/],
    ['seven-7', /at least 8 characters/],
    ['p'.repeat(256), /at most 255 characters/],
    ['password1', /most common/],
    ['contextual', /name of the user/],
  ])('the password %j is refused, and no user is added', async (password, reason) => {
    expectRefusal(await add('contextual', [], password), 1, reason);
    expectRefusal(await cli.run(['user', 'show', 'contextual']), 1, /no user/);
  });

  test.each([
    [['--role', 'king'], 2, /normaluser, superadmin\. The setting ROLES adds other roles/],
    [['--full-name', 'x'.repeat(256)], 2, /full name/],
    [['--full-name', 'a\nb'], 2, /full name/],
    [['--full-name', 'a\u202eb'], 2, /direction marks/],
    [['--full-name', '\u3164'], 2, /visible/],
    [['--app', 'a\tb'], 2, /application/],
    [['--image', `https://x.test/${'x'.repeat(2048)}`], 2, /image/],
  ] as const)('the options %j are refused', async (options, code, reason) => {
    expectRefusal(await add('optional', [...options]), code, reason);
  });

  test('a password that is not UTF-8 is refused, and no user is added', async () => {
    const input = Buffer.from('p\xe4ssw\xf6rd-in-latin-1', 'latin1');

    expectRefusal(await cli.run(['user', 'add', 'latin', FROM_STDIN], input), 1, /UTF-8/);

    expectRefusal(await cli.run(['user', 'show', 'latin']), 1, /no user/);
  });

  test('a taken or invalid name is refused before the command asks for a password', async () => {
    expectRefusal(await cli.run(['user', 'add', 'SuperAdmin']), 1, /already a user/);
    expectRefusal(await cli.run(['user', 'add', 'stats']), 2, /cannot be a username/);
  });

  test('set without any field is wrong usage', async () => {
    expectRefusal(await cli.run(['user', 'set', 'superadmin']), 2, /--help/);
    expectRefusal(await cli.run(['user', 'set', 'superadmin', '--json']), 2, /--help/);
  });

  test('an option without its value does not take the next option as the value', async () => {
    await add('keeper', ['--app', 'wiki']);

    for (const args of [
      ['user', 'set', 'keeper', '--app', '--json'],
      ['user', 'set', 'keeper', '--full-name', '--inactive'],
      ['user', 'add', 'swallow', '--password-stdin', '--app', '--inactive'],
    ]) {
      expectRefusal(await cli.run(args, PASSWORD), 2, /value is missing/);
    }
    const { stdout } = await cli.run(['user', 'show', 'keeper', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ allowed_apps: ['wiki'], full_name: '', is_active: true });
    expectRefusal(await cli.run(['user', 'show', 'swallow']), 1, /no user called/);
  });

  test('remove and revoke-all do not ask without a terminal, and accept --yes', async () => {
    await add('leaver');
    await add('goner');

    for (const args of [
      ['user', 'remove', 'leaver'],
      ['user', 'remove', 'goner', '--yes'],
      ['session', 'revoke-all'],
      ['session', 'revoke-all', '--yes'],
    ]) {
      expect([args, (await cli.run(args)).code]).toEqual([args, 0]);
    }
  });

  test('a final line break is not part of the password, but one inside is', async () => {
    await add('breaker', [], 'two\nlines-of-it\r\n');

    expect((await cli.client().login({ username: 'breaker', password: 'two\nlines-of-it' })).status).toBe(200);
  });

  test('a picture that is not an http or https URL is stored, with a warning on stderr', async () => {
    const { code, json, stderr } = await add('pictured', ['--image', 'javascript:alert(1)']);

    expect([code, json]).toEqual([0, expect.objectContaining({ image: 'javascript:alert(1)' })]);
    expect(stderr).toMatch(/will not be shown/);
  });

  test('without a terminal there is no prompt: the command reports wrong usage and does not wait', async () => {
    expectRefusal(await cli.run(['user', 'add', 'promptless']), 2, /--password-stdin/);
    expectRefusal(await cli.run(['user', 'password', 'superadmin']), 2, /--password-stdin/);
  });

  test('without --json the same facts are printed as lines', async () => {
    await add('legible', ['--full-name', 'Legible Person']);

    const [shown, listed] = [await cli.run(['user', 'show', 'legible']), await cli.run(['user', 'list'])];

    for (const { code, stdout } of [shown, listed]) {
      expect(code).toBe(0);
      expect(stdout).toContain('Legible Person');
      expect(stdout).not.toMatch(/[{}]|argon2/);
    }
  });

  test.each([
    ['set', 'nobody', '--active'],
    ['password', 'nobody', FROM_STDIN],
    ['remove', 'nobody'],
    ['show', 'nobody'],
  ])('%s of an unknown user is refused', async (...args) => {
    expectRefusal(await cli.run(['user', ...args], 'a-fine-password'), 1, /no user called "nobody"/);
  });
});

describe('the audit trail of commands', () => {
  const cli = sharedService('sqlite');
  const lineOf = ({ stderr }: Outcome) => {
    const line: unknown = JSON.parse(stderr);
    return line;
  };

  test('has one line on stderr for each change, with the operator, the user and no secret', async () => {
    const added = await cli.run(['user', 'add', 'ada', '--full-name', 'Ada', FROM_STDIN], PASSWORD);
    const { id } = Object(await cli.json(['user', 'show', 'ada']));
    const operator = { actor_type: 'operator', actor_name: expect.any(String), subject_id: id, subject_name: 'ada' };
    const common = { level: 'info', time: expect.stringMatching(ISO), ...operator };

    expect(lineOf(added)).toMatchObject({ ...common, audit: 'user.created', command: 'user add' });
    expect(added.stderr).not.toContain(PASSWORD);
    expect(lineOf(await cli.run(['user', 'set', 'ada', '--role', 'superadmin']))).toMatchObject({
      ...common,
      audit: 'user.updated',
      command: 'user set',
      details: { fields: ['role'], from: { role: 'normaluser' }, to: { role: 'superadmin' } },
    });
    const twoFactor = await cli.run(['2fa', 'enable', 'ada', '--secret', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP']);
    expect(twoFactor.stderr).toMatch(/"audit":"factor.changed",.*"command":"2fa enable"/);
    expect(twoFactor.stdout).not.toContain('no longer work');
    const again = await cli.run(['2fa', 'enable', 'ada']);
    expect(again.stdout).toMatch(
      /^The former recovery codes no longer work\. The former app works only if it has the same secret\.$/m,
    );
    expect(twoFactor.stderr).not.toContain('JBSWY3DP');
    expect(lineOf(await cli.run(['link', 'add', 'ada', 'codehost', '42']))).toMatchObject({
      ...common,
      audit: 'connection.changed',
      command: 'link add',
      details: { provider: 'codehost', account_id: '42', change: 'added' },
    });
    await cli.client().login({ username: 'ada', password: PASSWORD });
    expect(lineOf(await cli.run(['session', 'revoke-all', 'ada']))).toMatchObject({
      ...common,
      audit: 'session.ended',
      command: 'session revoke-all',
      details: { reason: 'command', sessions: 1 },
    });
  });

  test('has no line if nothing changes, or with --json', async () => {
    for (const args of [
      ['user', 'list'],
      ['user', 'show', 'superadmin'],
      ['user', 'set', 'superadmin', '--full-name', 'Root', '--json'],
      ['user', 'set', 'superadmin', '--full-name', 'Root'],
      ['session', 'revoke-all', 'superadmin'],
    ]) {
      expect([args, (await cli.run(args)).stderr]).toEqual([args, '']);
    }
  });
});

describe('authsvc link', () => {
  const forge = {
    PROVIDERS: 'forge',
    PROVIDER_FORGE_TYPE: 'oauth2',
    PROVIDER_FORGE_CLIENT_ID: 'id',
    PROVIDER_FORGE_CLIENT_SECRET: 'secret',
    PROVIDER_FORGE_AUTHORIZATION_URL: 'https://git.example.com/authorize',
    PROVIDER_FORGE_TOKEN_URL: 'https://git.example.com/token',
    PROVIDER_FORGE_USER_URL: 'https://git.example.com/user',
  };
  const cli = sharedService('sqlite', forge);

  test('add, list and remove accept the providers in PROVIDERS', async () => {
    await cli.run(['user', 'add', 'bob', FROM_STDIN, '--json'], PASSWORD);

    const added = await cli.json(['link', 'add', 'bob', 'forge', '815']);
    const listed = await cli.json(['link', 'list', 'bob']);
    const removed = await cli.json(['link', 'remove', 'bob', 'forge']);

    expect(added).toMatchObject({ provider: 'forge', provider_id: '815', username: 'bob' });
    expect(listed).toMatchObject([{ provider: 'forge', provider_id: '815' }]);
    expect(removed).toMatchObject({ provider: 'forge', removed: true });
  });

  test('an unknown provider is wrong usage, and the message names the known ones', async () => {
    await cli.run(['user', 'add', 'cy', FROM_STDIN, '--json'], PASSWORD);
    const known = /There is no provider "froge". The providers are codehost, websso, forge\./;

    expectRefusal(await cli.run(['link', 'add', 'cy', 'froge', '1']), 2, known);
    expectRefusal(await cli.run(['link', 'remove', 'cy', 'froge']), 2, known);
    expectRefusal(await cli.run(['link', 'remove', 'cy', 'forge']), 1, /cy has no forge link/);
  });

  test('a link whose provider is no longer configured can be removed', async () => {
    await cli.run(['user', 'add', 'dee', FROM_STDIN, '--json'], PASSWORD);
    await cli.json(['link', 'add', 'dee', 'forge', '816']);
    const { place } = cli;

    const removed = await runCommand(place.owner, place.get(), ['link', 'remove', 'dee', 'forge', '--json'], '');

    expect([removed.code, removed.json]).toEqual([0, expect.objectContaining({ provider: 'forge', removed: true })]);
    expect(removed.stderr).not.toContain('cannot sign in');
  });

  test('remove warns if the user has no way left to sign in', async () => {
    await cli.json(['user', 'invite', 'eve']);
    await cli.json(['link', 'add', 'eve', 'forge', '817']);

    const removed = await cli.run(['link', 'remove', 'eve', 'forge', '--json']);

    expect([removed.code, removed.json]).toEqual([0, expect.objectContaining({ username: 'eve', removed: true })]);
    expect(removed.stderr).toContain('eve cannot sign in any more');
  });

  test('add warns if the account id at a code host is a name and not a number', async () => {
    await cli.run(['user', 'add', 'ada', FROM_STDIN, '--json'], PASSWORD);

    const named = await cli.run(['link', 'add', 'ada', 'codehost', 'octocat', '--json']);

    expect([named.code, named.json]).toEqual([0, expect.objectContaining({ provider_id: 'octocat' })]);
    expect(named.stderr).toMatch(/"octocat" is not a number.*CODEHOST_ID_FIELD.*Codehost/);
    await cli.run(['link', 'remove', 'ada', 'codehost']);
    for (const account of [
      ['codehost', '583231'],
      ['websso', 'a-subject'],
    ]) {
      expect((await cli.run(['link', 'add', 'ada', ...account, '--json'])).stderr).toBe('');
    }
  });
});

describe('authsvc', () => {
  const cli = sharedService('sqlite');

  test.each([
    ['frobnicate'],
    ['user'],
    ['user', 'frobnicate'],
    ['user', 'add'],
    ['user', 'show'],
    ['user', 'show', 'a', 'b'],
    ['user', 'set', 'a', '--active', '--inactive'],
    ['user', 'add', 'a', '--password', 'on-the-command-line'],
    ['user', 'list', '--no-such-option'],
    ['session', 'revoke'],
    ['serve', '--no-such-option'],
    ['serve', 'more'],
  ])('wrong usage exits with 2 and mentions --help: %s %s %s', async (...args) => {
    expectRefusal(await cli.run(args.filter(Boolean)), 2, /--help|Usage/);
  });

  test.each([
    ['--port', 'http', 'PORT: expected a whole number from 0 to 65535'],
    ['--workers', '0', 'WORKERS: expected a whole number from 1 to 256'],
  ])('an invalid value of an option is wrong usage too: %s %s', async (option, value, expected) => {
    const { code, stderr } = await cli.run(['serve', option, value]);

    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
  });

  test.each([
    ['--since', /ISO 8601/],
    ['--until', /ISO 8601/],
    ['--event', /--event takes one of/],
    ['--user', /name of a user/],
    ['--address', /IPv4 or IPv6/],
    ['--app', /key of an application/],
  ])('an empty %s of the audit log is wrong usage, and does not mean all events', async (option, reason) => {
    expectRefusal(await cli.run(['audit', 'list', option, '']), 2, reason);
  });

  test.each([
    ['an invalid address', ['--address', 'foo'], /^--address takes an IPv4 or IPv6 address/],
    ['a network', ['--address', '10.0.0.0/8'], /^--address takes an IPv4 or IPv6 address/],
    ['a time span that ends before it begins', ['--since', '1h', '--until', '2h'], /^--since is after --until/],
  ])('%s as a filter of the audit log is wrong usage, and does not mean no events', async (_what, filter, reason) => {
    expectRefusal(await cli.run(['audit', 'list', ...filter]), 2, reason);
  });

  test('a webhook that refuses the test is reported, with the reason on standard error', async () => {
    const { id } = Object(await cli.json(['webhook', 'add', 'https://receiver.invalid/', '--event', '*']));

    const plain = await cli.run(['webhook', 'test', id]);
    const asJson = await cli.run(['webhook', 'test', id, '--json']);

    expectRefusal(plain, 1, /^Not delivered: dns\. The name of the host cannot be resolved\.$/m);
    expect([asJson.code, asJson.json]).toMatchObject([1, { event: 'webhook.test', status: 'failed' }]);
  });

  test.each([
    [['--help']],
    [['user', '--help']],
    [['user', 'add', '--help']],
    [['session', '--help']],
    [['serve', '--help']],
  ])('%j prints help and exits with 0', async (args) => {
    const { code, stdout, stderr } = await cli.run(args);

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Usage: authsvc/);
  });

  test('--version prints the version', async () => {
    expect((await cli.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
