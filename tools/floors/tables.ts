// Rule 5: only one folder writes each table; other folders may read it. The build function of a query shows which tables
// it writes.
import { Visitor } from 'oxc-parser';
import type { Finding } from '../report.ts';
import type { Source } from '../sources.ts';
import { placeOf } from './place.ts';

const writes = ['insertInto', 'updateTable', 'deleteFrom', 'replaceInto', 'mergeInto'];

interface Write {
  table: string;
  folder: string;
  file: string;
  line: number;
}

/** Lists the tables that the queries in a file write. */
function listWrites(source: Source): Write[] {
  const { folder, isTest } = placeOf(source.path);
  // Migrations change the tables of all folders, and tests prepare tables, so neither is checked.
  if (isTest || folder === 'db') return [];
  const found: Write[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [first], start }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (!writes.includes(callee.property.name) || first?.type !== 'Literal' || typeof first.value !== 'string')
        return;
      found.push({ table: first.value, folder, file: source.file, line: source.lineAt(start) });
    },
  }).visit(source.program);
  return found;
}

/** Finds tables that more than one folder writes. The folder of the first write found owns the table. */
export function findForeignWrites(sources: readonly Source[]): Finding[] {
  const owners = new Map<string, string>();
  return sources.flatMap(listWrites).flatMap(({ table, folder, file, line }) => {
    const owner = owners.get(table) ?? folder;
    owners.set(table, owner);
    if (owner === folder) return [];
    const advice = `${owner} writes the table ${table} too: call its rule, subscribe to its event, or move the query there`;
    return [{ file, line, rule: 'one-writer', advice }];
  });
}
