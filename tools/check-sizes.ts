// Holds files and functions to the sizes that a reader can take in. Run by `npm run check`.
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Visitor } from 'oxc-parser';
import { type Finding, report } from './report.ts';
import { CLIENT, readSources, type Source } from './sources.ts';

const fileLimit = 400;
const fileQuestion = 250;
const functionLimit = 60;

// Tables of data: long because there is much of it, not because it is tangled.
const tables = [/^errors\/registry\.ts$/, /^settings\/table\.ts$/, /^ui\/texts\//, /^db\/migrations\//];

/** What is too long (`failures`), and what asks for a look (`warnings`). */
export interface Sizes {
  failures: Finding[];
  warnings: Finding[];
}

function judgeFile(source: Source): Sizes {
  const lines = source.text.replace(/\n$/, '').split('\n').length;
  const tell = (limit: number) => ({
    file: source.file,
    line: 1,
    rule: 'file-size',
    advice: `${lines} lines, over ${limit}: split it by what changes together`,
  });
  if (lines > fileLimit) return { failures: [tell(fileLimit)], warnings: [] };
  return { failures: [], warnings: lines > fileQuestion ? [tell(fileQuestion)] : [] };
}

function judgeFunctions(source: Source): Finding[] {
  const findings: Finding[] = [];
  const judge = ({ start, end }: { start: number; end: number }) => {
    const line = source.lineAt(start);
    const lines = source.lineAt(end) - line + 1;
    if (lines <= functionLimit) return;
    const advice = `${lines} lines, over ${functionLimit}: give its steps names of their own`;
    findings.push({ file: source.file, line, rule: 'function-size', advice });
  };
  new Visitor({
    FunctionDeclaration: judge,
    FunctionExpression: judge,
    ArrowFunctionExpression: judge,
  }).visit(source.program);
  return findings;
}

/**
 * Measures every source of the server and the client but the data tables. Functions of tests are not measured:
 * `describe` makes one function of a whole file.
 */
export function checkSizes(project: string): Sizes {
  const sizes: Sizes = { failures: [], warnings: [] };
  for (const source of [...readSources(project, 'src'), ...readSources(project, CLIENT)]) {
    if (tables.some((table) => table.test(source.path))) continue;
    const { failures, warnings } = judgeFile(source);
    sizes.failures.push(...failures, ...(source.path.endsWith('.test.ts') ? [] : judgeFunctions(source)));
    sizes.warnings.push(...warnings);
  }
  return sizes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failures, warnings } = checkSizes(process.argv[2] ?? join(import.meta.dirname, '..'));
  report(warnings.map((warning) => ({ ...warning, rule: `warning: ${warning.rule}` })));
  report(failures);
  process.exitCode = failures.length > 0 ? 1 : 0;
}
