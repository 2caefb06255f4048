// Finds errors and omissions in an OpenAPI document. It reads only the document and not the tables of the program, so
// that it also finds faults of the generator.

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectIn = (value: unknown, key: string): Json => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
};
const listIn = (value: unknown, key: string): unknown[] => {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

interface Operation {
  /** The method and the path, for messages. */
  name: string;
  path: string;
  method: string;
  facts: Json;
}

function operationsOf(document: Json): Operation[] {
  const paths = Object.entries(objectIn(document, 'paths'));
  return paths.flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(([method, facts]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      facts: isObject(facts) ? facts : {},
    })),
  );
}

/** Returns every `$ref` in a value. */
function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [part] : refsIn(part),
  );
}

function resolves(document: Json, ref: string): boolean {
  if (!ref.startsWith('#/')) return false;
  let value: unknown = document;
  for (const key of ref.slice(2).split('/')) value = isObject(value) ? value[key] : undefined;
  return value !== undefined;
}

function lintParameters({ path, facts }: Operation): string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const declared = listIn(facts, 'parameters').filter(isObject);
  const declaredInPath = declared.filter((one) => one.in === 'path').map(({ name }) => name);
  const keys = declared.map(({ name, in: place }) => `${place} ${name}`);
  return [
    ...inPath.filter((name) => !declaredInPath.includes(name)).map((name) => `does not describe {${name}}`),
    ...declaredInPath.filter((name) => !inPath.includes(String(name))).map((name) => `describes no part: ${name}`),
    ...keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `describes ${key} twice`),
    ...declared.filter(({ schema }) => !isObject(schema)).map(({ name }) => `gives ${name} no schema`),
  ];
}

function lintSecurity({ facts }: Operation, schemes: Json): string[] {
  if (!Array.isArray(facts.security)) return ['does not say who may call: `security` is missing'];
  const named = facts.security.flatMap((way) => Object.keys(isObject(way) ? way : {}));
  return named.filter((name) => !(name in schemes)).map((name) => `names an unknown security scheme: ${name}`);
}

function lintResponses({ facts }: Operation): string[] {
  const responses = Object.entries(objectIn(facts, 'responses'));
  const isGood = ([status]: [string, unknown]) => Number(status) < 400;
  return [
    ...(responses.some(isGood) ? [] : ['has no reply but errors']),
    ...responses
      .filter(([, response]) => !isObject(response) || !('description' in response || '$ref' in response))
      .map(([status]) => `does not describe ${status}`),
    ...responses
      .filter(([status, response]) => Number(status) >= 400 && Object.keys(objectIn(response, 'content')).length === 0)
      .map(([status]) => `does not say what type the body of ${status} has`),
  ];
}

function lintBody({ method, facts }: Operation): string[] {
  const contents = Object.values(objectIn(facts.requestBody, 'content'));
  const fields = contents.map((content) => objectIn(content, 'schema'));
  const needsToken = fields.some((schema) => listIn(schema, 'required').includes('_csrf'));
  const forbidden = objectIn(facts.responses, '403').description;
  return [
    ...(method === 'get' && 'requestBody' in facts ? ['reads with a body'] : []),
    ...('requestBody' in facts && contents.length === 0 ? ['has a body of no type'] : []),
    ...(needsToken && !String(forbidden).includes('CSRF_INVALID')
      ? ['needs a CSRF token, but lacks CSRF_INVALID']
      : []),
  ];
}

function lintOperation(operation: Operation, all: readonly Operation[], schemes: Json): string[] {
  const { operationId, summary } = operation.facts;
  const twins = all.filter(({ facts }) => facts.operationId === operationId);
  return [
    ...(typeof operationId === 'string' && operationId !== '' ? [] : ['has no operationId']),
    ...(twins.length > 1 ? [`shares its operationId with ${twins.length - 1} other`] : []),
    ...(typeof summary === 'string' && summary !== '' ? [] : ['has no summary']),
    ...lintSecurity(operation, schemes),
    ...lintParameters(operation),
    ...lintBody(operation),
    ...lintResponses(operation),
  ];
}

/** Finds path parameters that have the same name but different types. A generated client would have to guess the type. */
function mixedParameters(operations: readonly Operation[]): string[] {
  const types = new Map<string, Set<unknown>>();
  for (const parameter of operations.flatMap(({ facts }) => listIn(facts, 'parameters'))) {
    if (!isObject(parameter) || parameter.in !== 'path') continue;
    const name = String(parameter.name);
    types.set(name, (types.get(name) ?? new Set()).add(objectIn(parameter, 'schema').type));
  }
  const mixed = [...types].filter(([, found]) => found.size > 1);
  return mixed.map(([name, found]) => `{${name}} has several types: ${[...found].join(', ')}`);
}

/**
 * Checks an OpenAPI document.
 *
 * @returns one sentence for each fault, with the operation that it concerns
 */
export function lintOpenApi(text: string): string[] {
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) return ['the document is not an object'];
  const operations = operationsOf(document);
  const schemes = objectIn(document.components, 'securitySchemes');
  const missing = new Set(refsIn(document).filter((ref) => !resolves(document, ref)));
  return [
    ...operations.flatMap((one) => lintOperation(one, operations, schemes).map((fault) => `${one.name} ${fault}`)),
    ...mixedParameters(operations),
    ...[...missing].map((ref) => `${ref} does not exist`),
  ];
}
