import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkSizes } from './check-sizes.ts';
import { makeUpProject } from './made-up-project.ts';

const linesOf = (count: number) => 'export {};\n'.repeat(count);
const functionOf = (lines: number) => `export function long() {\n${'  long();\n'.repeat(lines - 2)}}\n`;

async function measure(files: Record<string, string>) {
  const { failures, warnings } = checkSizes(await makeUpProject(files));
  const tell = ({ file, line, rule }: { file: string; line: number; rule: string }) => `${file}:${line} ${rule}`;
  return { failures: failures.map(tell), warnings: warnings.map(tell) };
}

describe('files', () => {
  test('250 lines pass, 251 ask for a look, 401 fail', async () => {
    const measured = await measure({ 'lib/a.ts': linesOf(250), 'lib/b.ts': linesOf(251), 'lib/c.ts': linesOf(401) });

    expect(measured).toEqual({ failures: ['src/lib/c.ts:1 file-size'], warnings: ['src/lib/b.ts:1 file-size'] });
  });

  test('tables of data may be as long as their data', async () => {
    const measured = await measure({
      'errors/registry.ts': linesOf(500),
      'settings/table.ts': linesOf(500),
      'ui/texts/en.ts': linesOf(500),
      'db/migrations/0001-users.ts': functionOf(90),
    });

    expect(measured).toEqual({ failures: [], warnings: [] });
  });
});

describe('functions', () => {
  test('60 lines pass and 61 fail, at the line where the function begins', async () => {
    const measured = await measure({
      'lib/a.ts': functionOf(60),
      'lib/b.ts': `export const a = 1;\n${functionOf(61)}`,
    });

    expect(measured.failures).toEqual(['src/lib/b.ts:2 function-size']);
  });

  test.each([
    ['an arrow function', `export const long = () => {\n${'  long();\n'.repeat(60)}};\n`],
    ['a method', `export class A {\n  long() {\n${'    this.long();\n'.repeat(60)}  }\n}\n`],
  ])('%s counts as well', async (_what, text) => {
    expect((await measure({ 'lib/a.ts': text })).failures).toHaveLength(1);
  });

  test('the functions of a test are not measured', async () => {
    expect((await measure({ 'lib/a.test.ts': functionOf(100) })).failures).toEqual([]);
  });
});

test('the command fails and says how to mend it', async () => {
  const project = await makeUpProject({ 'lib/a.ts': functionOf(61) });
  const program = fileURLToPath(new URL('./check-sizes.ts', import.meta.url));

  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', program, project]);

  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: 'src/lib/a.ts:1 function-size — 61 lines, over 60: give its steps names of their own\n',
  });
});
