import process from 'node:process';

/** One finding of a checker; `file` is relative to the project. */
export interface Finding {
  file: string;
  line: number;
  rule: string;
  /** What is wrong and what to do instead. */
  advice: string;
}

/** Writes findings as `file:line rule — advice`, one per line, to stderr. */
export function report(findings: readonly Finding[]): void {
  for (const { file, line, rule, advice } of findings) {
    process.stderr.write(`${file}:${line} ${rule} — ${advice}\n`);
  }
}
