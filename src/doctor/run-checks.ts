import { within } from '../lib/within.ts';
import { type CheckName, checkNames, type Finding, failure, skipped } from './finding.ts';

/**
 * Time limit of one check. At most three checks run one after another, because each waits for the one before. Together
 * they end within 15 seconds.
 */
const PATIENCE_MS = 4500;

/** A check, and the names of the checks that must succeed before it runs. */
export interface Check {
  needs: readonly CheckName[];
  /** The result if one of `needs` failed. By default, the result says that this check was skipped. */
  otherwise?: Finding;
  /**
   * Runs before `needs` are awaited. Returns a problem that it can find without them, or undefined if there is none.
   */
  first?(): Finding | undefined;
  run(): Promise<Finding>;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const broken = (error: unknown): Finding =>
  failure(`The check itself failed: ${reasonOf(error)}`, 'Run doctor again, and look at the log of the service.');

/**
 * Runs all checks at the same time, except that each check waits for those in its `needs`.
 *
 * @returns the result of each check, in the order of the report
 */
export function runChecks(checks: Readonly<Record<CheckName, Check>>): Promise<(Finding & { name: CheckName })[]> {
  const findings = new Map<CheckName, Promise<Finding>>();
  const findingOf = (name: CheckName): Promise<Finding> => {
    const known = findings.get(name) ?? runAfterNeeds(checks[name]).catch(broken);
    findings.set(name, known);
    return known;
  };
  const runAfterNeeds = async (check: Check): Promise<Finding> => {
    const early = check.first?.();
    if (early) return early;
    for (const need of check.needs) {
      const { status } = await findingOf(need);
      if (status === 'failed' || status === 'skipped')
        return (
          check.otherwise ??
          skipped(`Not checked, because ${need} ${status === 'failed' ? 'failed' : 'was not checked'}.`)
        );
    }
    return within(check.run(), PATIENCE_MS, () => new Error('it did not end within 5 seconds.'));
  };
  return Promise.all(checkNames.map(async (name) => ({ name, ...(await findingOf(name)) })));
}
