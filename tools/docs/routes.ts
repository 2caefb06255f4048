import type { TSchema } from 'typebox';
import { type ErrorName, errorRegistry } from '../../src/errors/registry.ts';
import { replyKind } from '../../src/http/reply.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import { commonErrors, errorsOf } from '../../src/http/route-errors.ts';
import { defaultBudget } from '../../src/settings/limits.ts';
import { code, codes, page, sentence, table } from './markdown.ts';
import { fieldsOf, plainSchema, shape, typeWords } from './schema-words.ts';

const introduction = `
This page lists every route of the service, sorted by path. [interface.md](interface.md) explains the routes with examples.
[openapi.json](openapi.json) contains the same routes for programs.

- **Kind**: a \`page\` answers with HTML, also for errors. A \`json\` route answers with JSON, but shows errors as pages if a browser
  opens the URL. A \`file\` is a picture, a script or a download.
- **Needs**: what the request must meet, in the order of the checks. The service checks the conditions before "after the input" first, then the
  input, then the others. If a page needs a session and there is none, it redirects to the login page.
- **Limit**: how many requests a client may send. Clients are counted by IPv4 address or by IPv6 /64 network. An IPv6 /56 network has twice the
  budget, a /48 network four times. Routes whose limits have the same name share one budget. The setting [RATE_LIMITS](settings.md) changes a limit by its name: \`RATE_LIMITS=login=20/60s,login-page=60/60s\`.
- Every route that answers GET also answers HEAD. OPTIONS lists the methods of a path. A slash at the end of the path makes no difference.`;

function spanWords(seconds: number): string {
  if (seconds === 60) return 'minute';
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}

const exemptionWords = ({ exempt }: AnyRoute): string => (exempt ? `; requests of ${exempt.who} are not counted` : '');

/** Names the conditions of a route in the order in which they are checked. */
function needsOf({ access = [], guards = [] }: AnyRoute): string {
  const before = access.map(({ name }) => name).join(', then ');
  const after = guards.map(({ name }) => name).join(', then ');
  return [before, after && `after the input: ${after}`].filter((words) => words !== '').join('; ');
}

function limitWords(route: AnyRoute): string {
  if (!route.limit) return '–';
  const { name } = route.limit;
  const { points, windowSeconds } = defaultBudget(name);
  return `${points} in ${windowSeconds === 60 ? 'a ' : ''}${spanWords(windowSeconds)} (${name})${exemptionWords(route)}`;
}

const errorTable = (names: readonly ErrorName[]): string[] =>
  table(
    ['Status', 'Name', 'Number', 'Message'],
    names.map((name) => {
      const { status, number, message } = errorRegistry[name];
      return [String(status), code(name), String(number), message];
    }),
  );

function fieldTable(title: string, schema: unknown, route: AnyRoute): string[] {
  if (!schema) return [];
  const fields = fieldsOf(plainSchema(schema));
  if (fields.length === 0) return [];
  const rows = fields.map(({ name, isRequired, schema: field }) => {
    const { missing, invalid, wrongType } = route.fieldErrors?.[name] ?? {};
    const refusals = [
      missing && `error if missing: ${code(missing)}`,
      invalid && `error if invalid: ${code(invalid)}`,
      wrongType && `error for a wrong type: ${code(wrongType)}`,
    ].filter(Boolean);
    const meaning = [field.description ?? '', refusals.join(', ')].filter((text) => text !== '').join('; ');
    return [code(name), isRequired ? 'yes' : 'no', typeWords(field), meaning];
  });
  return [title, '', ...table(['Field', 'Required', 'Type', 'Meaning'], rows)];
}

function replyWords(schema: TSchema): string {
  const { contentMediaType, description = '' } = plainSchema(schema);
  switch (replyKind(schema)) {
    case 'html':
      return 'a page';
    case 'file':
      return contentMediaType === '*/*' ? 'a file' : `a file: ${code(String(contentMediaType))}`;
    case 'stream':
      return `a stream: ${description}`;
    case 'redirect':
      return `a redirect: ${description}`;
    case 'empty':
      return 'no body';
    default:
      return code(shape(plainSchema(schema)));
  }
}

const replyLines = ({ replies }: AnyRoute): string[] => [
  'Replies:',
  '',
  ...Object.entries(replies).map(([status, schema]) => `- ${status} ${replyWords(schema)}`),
  '',
];

const bodyWords = { json: 'JSON', form: 'form' } as const;

function section(route: AnyRoute): string[] {
  const facts = [`- Kind: ${route.kind}`, `- Needs: ${needsOf(route) || 'nothing'}`, `- Limit: ${limitWords(route)}`];
  const errors = errorsOf(route);
  return [
    `## ${route.method} ${route.path}`,
    '',
    sentence(route.summary),
    '',
    ...facts,
    '',
    ...fieldTable('Path:', route.params, route),
    ...fieldTable('Query:', route.query, route),
    ...('schema' in route.body ? fieldTable(`Body (${bodyWords[route.body.kind]}):`, route.body.schema, route) : []),
    ...replyLines(route),
    ...(errors.length > 0
      ? ['Errors of this route, in addition to those that every route can return:', '', ...errorTable(errors)]
      : []),
  ];
}

/** Sorts routes by path, then by method. */
export const inOrder = (routes: readonly AnyRoute[]): AnyRoute[] =>
  routes.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)) || (a.method < b.method ? -1 : 1));

/** Creates docs/routes.md: the route table for people. */
export function routesPage(routes: readonly AnyRoute[]): string {
  const rows = inOrder(routes).map((route) => [
    route.method,
    code(route.path),
    route.kind,
    needsOf(route) || '–',
    limitWords(route),
    route.summary,
  ]);
  return page('Routes', 'the route table in src/service-routes.ts', [
    introduction.trim(),
    '',
    ...table(['Method', 'Path', 'Kind', 'Needs', 'Limit', 'What it does'], rows),
    `Any route can also return ${codes(commonErrors)}; see [errors.md](errors.md).`,
    '',
    ...inOrder(routes).flatMap(section),
  ]);
}
