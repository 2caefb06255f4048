import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkFloors } from './check-floors.ts';
import { makeUpProject } from './made-up-project.ts';

async function rulesBrokenBy(files: Record<string, string>): Promise<string[]> {
  return checkFloors(await makeUpProject(files)).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

describe('a project that follows the rules', () => {
  test('downward imports, collected routes and code in its allowed files are accepted', async () => {
    const broken = await rulesBrokenBy({
      'lib/clock.ts': 'export const now = () => Date.now() + new Date().getTime() + Math.random();',
      'lib/random.ts': "import { randomBytes } from 'node:crypto'; export const token = () => randomBytes(8);",
      'settings/load.ts': 'export const load = () => process.env.PORT;',
      'db/open.ts': "import { sql } from 'kysely'; export const one = sql`select 1`;",
      'users/queries.ts': "import type { Row } from './schemas.ts'; import { sql } from 'kysely';",
      'users/find-user.ts': "import { byId } from './queries.ts'; import { now } from '../lib/clock.ts';",
      'users/page/profile/page.ts':
        "import type { User } from '../../schemas.ts'; import { en } from './en.ts'; import { layout } from '../../../ui/layout.ts';",
      'users/page/profile/en.ts': 'export const en = {};',
      'users/names.ts':
        "const names = new Set(['ada']); export const has = (name: string) => { let n = name; return names.has(n); };",
      'lib/end-of-turn.ts': 'let end: Promise<void> | undefined;',
      'users/page/profile/script.ts': 'export const left = (end: number) => end - Date.now();',
      'users/routes.ts':
        "import type { FastifyRequest } from 'fastify'; import { show } from './page/profile/page.ts';",
      'users/cli.ts': "import { findUser } from './find-user.ts'; export const at = new Date(0);",
      'cli/commands.ts': "import { command } from '../users/cli.ts';",
      'app.ts': "import { routes } from './users/routes.ts'; import type { FastifyReply } from 'fastify';",
      'main.ts': "import { app } from './app.ts'; import { commands } from './cli/commands.ts';",
      'ui/browser/countdown.ts': 'export const left = (end: number) => end - Date.now();',
    });

    expect(broken).toEqual([]);
  });

  test('a test may use test/support, the clock and random values', async () => {
    const broken = await rulesBrokenBy({
      'users/find-user.test.ts':
        "import { startApp } from '../../test/support/app.ts'; import { randomUUID } from 'node:crypto'; Date.now();",
    });

    expect(broken).toEqual([]);
  });
});

describe('the check of the layers', () => {
  test.each([
    [
      'a value from a floor above',
      { 'users/find-user.ts': "\nimport { start } from '../sessions/start-session.ts';" },
      2,
    ],
    ['a type from a floor above', { 'lib/clock.ts': "import type { User } from '../users/schemas.ts';" }, 1],
    ['a name that is a type', { 'lib/clock.ts': "import { type User } from '../users/schemas.ts';" }, 1],
    ['a type written in place', { 'lib/clock.ts': "export type User = import('../users/schemas.ts').User;" }, 1],
    ['a re-export', { 'db/open.ts': "export * from '../http/server.ts';" }, 1],
    ['an import at run time', { 'db/open.ts': "export const late = () => import('../http/server.ts');" }, 1],
    ['an import of app.ts', { 'cli/output.ts': "import { app } from '../app.ts';" }, 1],
    ['an import of main.ts in app.ts', { 'app.ts': "import { main } from './main.ts';" }, 1],
    ['a test that imports from a floor above', { 'lib/clock.test.ts': "import { app } from '../http/server.ts';" }, 1],
  ])('refuses %s', async (_what, files, line) => {
    const [file] = Object.keys(files);

    expect(await rulesBrokenBy(files)).toEqual([`src/${file}:${line} layers`]);
  });

  test('refuses a folder that is not a known layer, and imports from it', async () => {
    const broken = await rulesBrokenBy({
      'helpers/text.ts': 'export const a = 1;',
      'users/find-user.ts': "import { a } from '../helpers/text.ts';",
    });

    expect(broken).toEqual(['src/helpers/text.ts:1 layers', 'src/users/find-user.ts:1 layers']);
  });

  test('refuses an index file that re-exports', async () => {
    expect(await rulesBrokenBy({ 'users/index.ts': "export * from './schemas.ts';" })).toEqual([
      'src/users/index.ts:1 no-barrel',
    ]);
  });

  test.each(["import { User } from '../../../src/users/schemas.ts';", "import 'node:fs';", "import 'pino';"])(
    'refuses %s in the client, but not in its tests',
    async (text) => {
      const project = await makeUpProject({ 'device.ts': text, 'device.test.ts': text }, 'packages/client/src');

      expect(checkFloors(project).map(({ file, line, rule }) => `${file}:${line} ${rule}`)).toEqual([
        'packages/client/src/device.ts:1 client-alone',
      ]);
    },
  );

  test('refuses imports from outside of src', async () => {
    const broken = await rulesBrokenBy({
      'about/version.ts': "import { version } from '../../package.json';",
      'users/find-user.ts': "import { startApp } from '../../test/support/app.ts';",
    });

    expect(broken).toEqual(['src/about/version.ts:1 inside-src', 'src/users/find-user.ts:1 inside-src']);
  });
});

describe('the check inside a feature', () => {
  test.each([
    ['queries that import a rule', 'users/queries.ts', './find-user.ts', 'queries-at-the-bottom'],
    ['queries that import routes', 'users/queries.ts', './routes.ts', 'queries-at-the-bottom'],
    ['a rule that imports routes', 'users/find-user.ts', './routes.ts', 'rules-below-routes'],
    ['a rule that imports a page', 'users/find-user.ts', './page/profile/page.ts', 'rules-below-routes'],
    ['a rule that imports the command line', 'users/find-user.ts', './cli.ts', 'rules-below-routes'],
    ['a page that imports a rule', 'users/page/profile/page.ts', '../../find-user.ts', 'page-sees-schemas'],
    ['a page that imports a value of schemas', 'users/page/profile/page.ts', '../../schemas.ts', 'page-sees-schemas'],
  ])('refuses %s', async (_what, file, specifier, rule) => {
    expect(await rulesBrokenBy({ [file]: `import { a } from '${specifier}';` })).toEqual([`src/${file}:1 ${rule}`]);
  });
});

describe('the check between features', () => {
  test.each(['routes', 'page/profile/page', 'cli'])("refuses another feature's %s", async (role) => {
    const broken = await rulesBrokenBy({
      'sessions/start-session.ts': `import type { A } from '../users/${role}.ts';`,
    });

    expect(broken).toEqual(['src/sessions/start-session.ts:1 no-foreign-routes']);
  });
});

describe('code that only some files may contain', () => {
  test.each([
    ['sql', "import { Kysely } from 'kysely';"],
    ['sql', "import type { Transaction } from 'kysely';"],
    ['sql', "import { sql } from '../db/handle.ts'; export const one = sql`select 1`;"],
    ['environment', 'export const port = process.env.PORT;'],
    ['environment', "export const port = process['env'].PORT;"],
    ['environment', 'export const { env } = process;'],
    ['environment', "import { env } from 'node:process';"],
    ['time', 'export const now = Date.now();'],
    ['time', 'export const now = new Date();'],
    ['time', 'export const now = Date();'],
    ['randomness', 'export const random = Math.random();'],
    ['randomness', "import { randomBytes } from 'node:crypto';"],
    ['randomness', "import { randomUUID } from 'crypto';"],
    ['randomness', 'export const id = crypto.randomUUID();'],
    ['schema-types', "import { Type } from 'typebox'; export const kind = Type.Unsafe<'a' | 'b'>({ type: 'string' });"],
    ['providers', "export const isCodehost = (name: string) => name === 'codehost';"],
    ['module-state', 'let count = 0; export const next = () => ++count;'],
    ['module-state', 'export let count = 0;'],
    ['module-state', 'const seen = new WeakMap();'],
    ['module-state', 'export const seen = new Map<string, number>();'],
    ['module-state', "import { LRUCache } from 'lru-cache'; const kept = new LRUCache({ max: 5 });"],
    ['server-objects', "import type { FastifyRequest } from 'fastify';"],
    ['server-objects', "import type { ServerResponse } from 'node:http';"],
    ['server-objects', "import type { FastifyReply as Reply } from 'fastify';"],
    ['server-objects', "import type * as web from 'fastify'; export type R = web.FastifyReply;"],
    ['server-objects', "import type { Call } from '../http/route.ts';"],
    ['server-objects', "import { type Services, type Guard as Check } from '../http/route.ts';"],
    ['server-objects', "import type * as http from '../http/route.ts';"],
    ['guards', "import { currentSession } from '../users/guards.ts';"],
  ])('%s outside of its allowed files is refused: %s', async (rule, text) => {
    expect(await rulesBrokenBy({ 'users/find-user.ts': text })).toEqual([`src/users/find-user.ts:1 ${rule}`]);
  });
});

describe('the writers of tables', () => {
  const write = (call: string) => `export const change = (db: any) => db.${call};`;

  test.each(['insertInto', 'updateTable', 'deleteFrom', 'replaceInto', 'mergeInto'])(
    'two folders that write one table are refused: %s',
    async (call) => {
      const broken = await rulesBrokenBy({
        'sessions/queries.ts': write("deleteFrom('sessions')"),
        'users/queries.ts': write(`${call}('sessions')`),
      });

      expect(broken).toEqual(['src/users/queries.ts:1 one-writer']);
    },
  );

  test('one folder writes a table, others read it, and migrations and tests may write it', async () => {
    const broken = await rulesBrokenBy({
      'db/migrations/0001-users.ts': write("updateTable('users')"),
      'sessions/queries.ts': write("deleteFrom('sessions')") + write("selectFrom('users')").replace('change', 'read'),
      'sessions/end-session.test.ts': write("deleteFrom('users')"),
      'users/queries.ts': write("updateTable('users')"),
      'users/other-queries.ts': write("deleteFrom('users')"),
    });

    expect(broken).toEqual([]);
  });
});

test('the command prints file, line, rule and advice, and fails', async () => {
  const project = await makeUpProject({ 'users/find-user.ts': '\n\nexport const now = Date.now();\n' });
  const program = fileURLToPath(new URL('./check-floors.ts', import.meta.url));

  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', program, project]);

  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: "src/users/find-user.ts:3 time — take the time from lib/'s clock, passed in\n",
  });
});
