import process from 'node:process';
import type { Reporter, SerializedError, TestModule, TestSuite, Vitest } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

function count(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): Tally {
  const tally = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  const isBroken = (part: TestModule | TestSuite) => part.errors().length > 0;
  for (const module of modules) {
    if (isBroken(module)) tally.failed += 1;
    for (const suite of module.children.allSuites()) if (isBroken(suite)) tally.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      tally[state === 'pending' ? 'skipped' : state] += 1;
    }
  }
  return tally;
}

/**
 * Prints `N passed, N failed` as the last line of the process, with `, N skipped` if tests were skipped.
 *
 * These count as failures: a file that does not load, a hook that throws, an error outside of any test, and a run that
 * ends with an error of unknown place. The line is written when the process exits, after all other output.
 */
export class LastLineReporter implements Reporter {
  #tally: Tally = { passed: 0, failed: 0, skipped: 0 };

  onInit(_vitest: Vitest): void {
    process.once('exit', (code) => process.stdout.write(`${this.#line(code)}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.#tally = count(modules, unhandledErrors);
  }

  #line(exitCode: number): string {
    const { passed, failed, skipped } = this.#tally;
    const failures = failed === 0 && exitCode !== 0 ? 1 : failed;
    return `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  }
}
