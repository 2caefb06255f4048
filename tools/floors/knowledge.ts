// Rule 4: only certain files may contain SQL, read the environment or the clock, create random values, use types of
// schemas, keep state of the process, know the names of providers, or use the web server's objects.
import { type Expression, Visitor, type VisitorObject } from 'oxc-parser';
import { builtInProviderNames } from '../../src/settings/provider-names.ts';
import type { Finding } from '../report.ts';
import type { Source } from '../sources.ts';
import { type Place, placeOf } from './place.ts';

type Node = { start: number };
type Found = (rule: keyof typeof homes, node: Node) => void;
type MemberNode = Parameters<NonNullable<VisitorObject['MemberExpression']>>[0];

const randomNames = ['randomBytes', 'randomUUID', 'randomInt', 'getRandomValues'];
const serverNames = ['FastifyRequest', 'FastifyReply'];
/** The types that contain the request and the reply. */
const callNames = ['Call', 'Guard', '*'];

// Browser code may read the clock, because it cannot import lib/.
const mayTellTime = (place: Place) => place.folder === 'lib' || place.isTest || place.isBrowserCode;

/** The providers that have their own rows in the settings. All other code must work without them. */
const providerNames: readonly string[] = builtInProviderNames;

/** Collections that keep state of a process between requests. A Map or Set that is created with content is a constant. */
const fillable = ['Map', 'Set'];
const growing = ['WeakMap', 'WeakSet', 'LRUCache', 'LookupCache', 'SharedWork'];

const homes = {
  sql: {
    isHome: (place: Place) => place.folder === 'db' || place.role === 'queries',
    advice: 'SQL lives in queries.ts and db/: move the query there; types of handle and tables come from db/',
  },
  environment: {
    isHome: (place: Place) => place.folder === 'settings',
    advice: 'process.env is read in settings/ only: add a setting and have it passed in',
  },
  time: { isHome: mayTellTime, advice: "take the time from lib/'s clock, passed in" },
  randomness: {
    isHome: mayTellTime,
    advice: 'take random values from lib/random.ts, passed in where a test must know them',
  },
  'schema-types': {
    isHome: (place: Place) => place.folder === 'http' || place.isTest,
    advice: 'Type.Unsafe believes the type that it is told: use http/values.ts, whose types follow from the schema',
  },
  'module-state': {
    // The file lib/end-of-turn.ts may keep state in its module, because a process has only one event loop.
    isHome: (place: Place) => place.isTest || place.isBrowserCode || place.path === 'lib/end-of-turn.ts',
    advice: 'a module holds constants only: what a process keeps is part of Services, made by createServices',
  },
  providers: {
    isHome: (place: Place) => place.folder === 'settings' || place.isTest,
    advice: 'providers are data: only settings/ names one, as in builtInProviderNames',
  },
  guards: {
    isHome: (place: Place) => place.isTest || place.folder === 'app.ts' || ['routes', 'guards'].includes(place.role),
    advice: 'guards work on a request: let the route ask them, and pass the values that are needed',
  },
  'server-objects': {
    // The listener for metrics is a separate server without the routes of the service.
    isHome: (place: Place) =>
      ['http', 'app.ts'].includes(place.folder) ||
      ['routes', 'guards'].includes(place.role) ||
      place.path === 'metrics/metrics-server.ts',
    advice: 'request and reply stay in routes, guards and http/: pass the values that are needed',
  },
};

function judgeImports(source: Source, add: (rule: keyof typeof homes, line: number) => void): void {
  for (const { specifier, names, line } of source.imports) {
    if (specifier === 'kysely' || specifier.startsWith('kysely/')) add('sql', line);
    if (/^(node:)?crypto$/.test(specifier) && names.some((name) => randomNames.includes(name))) add('randomness', line);
    if (/^(node:)?process$/.test(specifier) && names.includes('env')) add('environment', line);
    if (specifier === 'fastify' && names.some((name) => serverNames.includes(name))) add('server-objects', line);
    if (/^(node:)?http$/.test(specifier) && names.includes('ServerResponse')) add('server-objects', line);
    if (specifier.endsWith('http/route.ts') && names.some((name) => callNames.includes(name)))
      add('server-objects', line);
    if (specifier.endsWith('guards.ts')) add('guards', line);
  }
}

function judgeMember(node: MemberNode, found: Found): void {
  const { object, property } = node;
  const owner = object.type === 'Identifier' ? object.name : '';
  const name =
    property.type === 'Identifier' ? property.name : property.type === 'Literal' ? property.value : undefined;
  if (owner === 'process' && name === 'env') found('environment', node);
  if (owner === 'Date' && name === 'now') found('time', node);
  if (owner === 'Type' && name === 'Unsafe') found('schema-types', node);
  if (owner === 'Math' && name === 'random') found('randomness', node);
  if (/crypto$/i.test(owner) && randomNames.some((random) => random === name)) found('randomness', node);
}

/**
 * Returns whether a value is a collection that is created empty, to be filled later. A collection that is created with
 * content is a constant.
 */
function isKeeper(value: Expression | null): boolean {
  if (value?.type !== 'NewExpression' || value.callee.type !== 'Identifier') return false;
  const [content] = value.arguments;
  return growing.includes(value.callee.name) || (fillable.includes(value.callee.name) && content === undefined);
}

/** Finds variables of a module that can change, and collections that are created empty. */
function judgeModule({ body }: Source['program'], found: Found): void {
  for (const statement of body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration' || declared.declare) continue;
    for (const { init, start } of declared.declarations) {
      if (declared.kind !== 'const' || isKeeper(init)) found('module-state', { start });
    }
  }
}

function judgeSyntax(found: Found): VisitorObject {
  return {
    MemberExpression: (node) => judgeMember(node, found),
    TaggedTemplateExpression(node) {
      if (node.tag.type === 'Identifier' && node.tag.name === 'sql') found('sql', node);
    },
    NewExpression(node) {
      const isDate = node.callee.type === 'Identifier' && node.callee.name === 'Date';
      if (isDate && node.arguments.length === 0) found('time', node);
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'Date') found('time', node);
    },
    VariableDeclarator(node) {
      const { id, init } = node;
      if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || init.name !== 'process') return;
      const isEnv = id.properties.some(
        (one) => one.type === 'Property' && one.key.type === 'Identifier' && one.key.name === 'env',
      );
      if (isEnv) found('environment', node);
    },
    Literal(node) {
      if (typeof node.value === 'string' && providerNames.includes(node.value)) found('providers', node);
    },
    TSQualifiedName(node) {
      if (serverNames.includes(node.right.name)) found('server-objects', node);
    },
  };
}

/** Finds code outside of the files that may contain it. The rules are the names in `homes`. */
export function findStrayKnowledge(source: Source): Finding[] {
  const place = placeOf(source.path);
  const findings: Finding[] = [];
  const add = (rule: keyof typeof homes, line: number) => {
    const { isHome, advice } = homes[rule];
    if (!isHome(place)) findings.push({ file: source.file, line, rule, advice });
  };
  const found: Found = (rule, node) => add(rule, source.lineAt(node.start));
  judgeImports(source, add);
  judgeModule(source.program, found);
  new Visitor(judgeSyntax(found)).visit(source.program);
  return findings;
}
