// Holds src/ against the floors of the house: who may import whom, and which knowledge lives where. Run by `npm run check`.
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findForeignImports } from './floors/imports.ts';
import { findStrayKnowledge } from './floors/knowledge.ts';
import { type Finding, report } from './report.ts';
import { readSources } from './sources.ts';

/** Checks every file below PROJECT/src; no finding means that the house stands. */
export function checkFloors(project: string): Finding[] {
  return readSources(project).flatMap((source) => [...findForeignImports(source), ...findStrayKnowledge(source)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = checkFloors(process.argv[2] ?? join(import.meta.dirname, '..'));
  report(findings);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
