import process from 'node:process';

/** One finding of a checker. `file` is relative to the project. */
export interface Finding {
  file: string;
  line: number;
  rule: string;
  /** What is wrong, and what to do instead. */
  advice: string;
}

/** Writes findings to stderr, one per line, as `file:line rule — advice`. */
export function report(findings: readonly Finding[]): void {
  for (const { file, line, rule, advice } of findings) {
    process.stderr.write(`${file}:${line} ${rule} — ${advice}\n`);
  }
}
