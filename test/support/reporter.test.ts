import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

interface Run {
  lastLine: string | undefined;
  failed: boolean;
}

/** Runs the given test files under vitest with our reporter, in a separate process. */
async function run(files: Record<string, string>): Promise<Run> {
  const root = await mkdtemp(join(tmpdir(), 'authsvc-reporter-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const program = `
    import { startVitest } from 'vitest/node';
    import { LastLineReporter } from '${new URL('./reporter.ts', import.meta.url).href}';
    const reporters = ['default', new LastLineReporter()];
    const options = { root: ${JSON.stringify(root)}, config: false, globals: true, watch: false, maxWorkers: 1, reporters };
    await (await startVitest('test', [], options)).close();`;
  const command = ['--import', 'tsx', '--input-type=module', '-e', program];
  const { stdout, code } = await promisify(execFile)(process.execPath, command, {
    env: { PATH: process.env.PATH },
  }).then(
    (done) => ({ ...done, code: 0 }),
    (failure: { stdout: string; code: number }) => failure,
  );
  return { lastLine: stdout.split('\n').at(-2), failed: code !== 0 };
}

test('passed tests are counted, and skipped ones are mentioned only if there are any', async () => {
  const files = {
    'a.test.js': "test('one', () => {}); test('two', () => {});",
    'b.test.js': "test('three', () => {});",
  };

  expect(await run(files)).toEqual({ lastLine: '3 passed, 0 failed', failed: false });
});

test('failed and skipped tests, broken hooks and files that do not load are counted', async () => {
  const outcome = await run({
    'fails.test.js':
      "test('good', () => {}); test('bad', () => { throw new Error('bad') }); test.skip('later', () => {});",
    'hook.test.js': "beforeAll(() => { throw new Error('hook') }); test('never begun', () => {});",
    'broken.test.js': "import './missing.js'; test('never loaded', () => {});",
  });

  expect(outcome).toEqual({ lastLine: '1 passed, 3 failed, 2 skipped', failed: true });
});

test('an error outside of any test is a failure', async () => {
  const files = { 'a.test.js': "test('good', () => { Promise.reject(new Error('forgotten')); });" };

  expect(await run(files)).toEqual({ lastLine: '1 passed, 1 failed', failed: true });
});

test('a run without any test is a failure', async () => {
  expect(await run({})).toEqual({ lastLine: '0 passed, 1 failed', failed: true });
});
