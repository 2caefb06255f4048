// Checks imports between folders, and which files contain SQL, read the clock, create random values, and so on. `npm run
// check` runs it.
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findClientImports, findForeignImports } from './floors/imports.ts';
import { findStrayKnowledge } from './floors/knowledge.ts';
import { findForeignWrites } from './floors/tables.ts';
import { type Finding, report } from './report.ts';
import { CLIENT, readSources } from './sources.ts';

/** Checks all sources of the server and the client. */
export function checkFloors(project: string): Finding[] {
  const server = readSources(project, 'src');
  const client = readSources(project, CLIENT);
  return [
    ...server.flatMap((source) => [...findForeignImports(source), ...findStrayKnowledge(source)]),
    ...findForeignWrites(server),
    ...client.flatMap(findClientImports),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = checkFloors(process.argv[2] ?? join(import.meta.dirname, '..'));
  report(findings);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
