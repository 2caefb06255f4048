import { DAY_MS } from '../lib/clock.ts';
import { type Finding, failure, fine, warning } from './finding.ts';

/** The last day on which each major version gets security fixes (https://github.com/nodejs/release). */
const ENDS: Record<number, string> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

const numbersOf = (version: string): number[] => version.split('.').map(Number);

/** Returns whether a version is older than another one. */
function isOlder(version: string, than: string): boolean {
  const [these, those] = [numbersOf(version), numbersOf(than)];
  const at = those.findIndex((number, index) => number !== (these[index] ?? 0));
  return at >= 0 && (these[at] ?? 0) < (those[at] ?? 0);
}

const REMEDY = 'Install a version that nodejs.org lists as LTS.';

/** Checks the version of Node.js that runs this command. */
export function checkNode(version: string, oldest: string, now: number): Finding {
  if (isOlder(version, oldest)) return failure(`Node.js ${version} is older than ${oldest}.`, REMEDY);
  const end = ENDS[numbersOf(version)[0] ?? 0];
  if (end === undefined || now < Date.parse(end) + DAY_MS) return fine(`Node.js ${version}.`);
  return warning(`Node.js ${version} has had no security fixes since ${end}.`, REMEDY);
}
