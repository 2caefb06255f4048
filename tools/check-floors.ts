// Checks imports between folders, and where SQL, time, randomness and so on may be used. Run by `npm run check`.
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findClientImports, findForeignImports } from './floors/imports.ts';
import { findStrayKnowledge } from './floors/knowledge.ts';
import { findForeignWrites } from './floors/tables.ts';
import { type Finding, report } from './report.ts';
import { CLIENT, readSources } from './sources.ts';

/** Checks every source of the server and the client. */
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
