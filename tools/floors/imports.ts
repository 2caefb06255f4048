import { posix } from 'node:path';
import type { Finding } from '../report.ts';
import type { ImportedModule, Source } from '../sources.ts';
import { type Place, placeOf } from './place.ts';

type Verdict = { rule: string; advice: string } | undefined;

const collectedRoles: readonly string[] = ['routes', 'page', 'cli'];

// Rule 1: a folder imports only lower layers. Imports of types count too.
function judgeLayers(from: Place, to: Place): Verdict {
  if (to.layer === -1) {
    return {
      rule: 'layers',
      advice: `src/${to.folder} is not a known layer: move the file into one of the listed folders`,
    };
  }
  if (to.layer > from.layer) {
    const advice = `${from.folder} may not import ${to.folder}, a higher layer: move the shared part down or pass it in`;
    return { rule: 'layers', advice };
  }
  return undefined;
}

// Rule 2: inside a feature, routes and cli import rules, and rules import queries, never the other way round. A test may
// import every file of its feature.
function judgeInside(from: Place, to: Place, { typeOnly }: ImportedModule): Verdict {
  if (from.isTest || !from.isFeature) return undefined;
  if (from.role === 'page' && to.role !== 'page' && !(to.role === 'schemas' && typeOnly)) {
    return {
      rule: 'page-sees-schemas',
      advice: 'a page takes only types of schemas.ts from its folder: let the route pass the data in',
    };
  }
  if (from.role === 'queries' && ['rule', 'routes', 'page', 'cli', 'guards'].includes(to.role)) {
    return {
      rule: 'queries-at-the-bottom',
      advice: 'queries import no rule, route, page, guard or cli: pass values in',
    };
  }
  if (from.role === 'rule' && collectedRoles.includes(to.role)) {
    return { rule: 'rules-below-routes', advice: `a rule imports no ${to.role}: move the shared part into the rule` };
  }
  return undefined;
}

// Rule 3: no feature imports the routes, pages or cli of another feature. Only app.ts, service-routes.ts, pages.ts and
// cli/ collect them.
function judgeNeighbour(from: Place, to: Place): Verdict {
  const mayCollect = ['app.ts', 'service-routes.ts', 'pages.ts', 'cli'].includes(from.folder);
  if (mayCollect || !to.isFeature || !collectedRoles.includes(to.role)) return undefined;
  const advice = `only app.ts, service-routes.ts, pages.ts and cli/ import ${to.folder}/${to.role}: import its rules, or types of its schemas.ts`;
  return { rule: 'no-foreign-routes', advice };
}

function judgeOutside(from: Place, target: string): Verdict {
  if (from.isTest && target.startsWith('../test/support/')) return undefined;
  return { rule: 'inside-src', advice: 'a source imports nothing outside of src/; a test may import test/support' };
}

function judge(from: Place, imported: ImportedModule): Verdict {
  if (!imported.specifier.startsWith('.')) return undefined;
  const target = posix.join(posix.dirname(from.path), imported.specifier);
  if (target.startsWith('../')) return judgeOutside(from, target);
  const to = placeOf(target);
  if (to.folder === from.folder) return judgeInside(from, to, imported);
  return judgeLayers(from, to) ?? judgeNeighbour(from, to);
}

/** Finds imports that the rules forbid, imports through index files, and files outside of all layers. */
export function findForeignImports(source: Source): Finding[] {
  const from = placeOf(source.path);
  const { file } = source;
  const findings: Finding[] = [];
  if (from.layer === -1) {
    const advice = `src/${from.folder} is not a known layer: move the file into one of the listed folders`;
    findings.push({ file, line: 1, rule: 'layers', advice });
  }
  if (/(^|\/)index\.ts$/.test(source.path)) {
    findings.push({
      file,
      line: 1,
      rule: 'no-barrel',
      advice: 'import the file that has what you need, and delete this one',
    });
  }
  for (const imported of source.imports) {
    const verdict = from.layer === -1 ? undefined : judge(from, imported);
    if (verdict) findings.push({ file, line: imported.line, ...verdict });
  }
  return findings;
}

/** Optional peer dependencies of the client, whose types it extends. */
const peers = ['fastify', 'hono'];
/** The Next.js module with the headers of a request. Only one function of the client loads it, when it is called. */
const NEXT_HEADERS = 'next/headers.js';

/**
 * Finds imports that would make the client depend on the server, on a package or on one runtime. Tests of the client may
 * have such imports.
 */
export function findClientImports(source: Source): Finding[] {
  if (source.path.endsWith('.test.ts')) return [];
  const advice = 'the client has no dependencies and runs everywhere: use what all runtimes have, or write it here';
  return source.imports
    .filter(({ specifier, typeOnly }) => {
      const isPeer = (typeOnly && peers.includes(specifier)) || specifier === NEXT_HEADERS;
      return !isPeer && !specifier.startsWith('./');
    })
    .map(({ line }) => ({ file: source.file, line, rule: 'client-alone', advice }));
}
