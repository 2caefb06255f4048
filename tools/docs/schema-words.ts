// Describes in words which values a JSON Schema allows.

/** A JSON Schema as plain data. */
export type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a schema without the internal data of its library. */
export function plainSchema(schema: unknown): Schema {
  const value: unknown = JSON.parse(JSON.stringify(schema ?? {}));
  return isSchema(value) ? value : {};
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const schemasOf = (value: unknown): Schema[] => listOf(value).filter(isSchema);

/** Lists the fields of an object, and whether each is required. */
export function fieldsOf(schema: Schema): { name: string; isRequired: boolean; schema: Schema }[] {
  const required = listOf(schema.required);
  const properties = isSchema(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, field]) => ({
    name,
    isRequired: required.includes(name),
    schema: isSchema(field) ? field : {},
  }));
}

/** Describes a pair of limits, such as `1 to 255 characters` or `at least 1`; empty without limits. */
function range(minimum: unknown, maximum: unknown, one = '', many = ''): string {
  const isOne = maximum === 1 || (maximum === undefined && minimum === 1);
  const end = many && ` ${isOne ? one : many}`;
  if (typeof minimum === 'number' && typeof maximum === 'number') {
    return minimum === maximum ? `${minimum}${end}` : `${minimum} to ${maximum}${end}`;
  }
  if (typeof minimum === 'number') return `at least ${minimum}${end}`;
  return typeof maximum === 'number' ? `at most ${maximum}${end}` : '';
}

function limits(schema: Schema): string[] {
  return [
    range(schema.minLength, schema.maxLength, 'character', 'characters'),
    range(schema.minimum, schema.maximum),
    range(schema.minItems, schema.maxItems, 'entry', 'entries'),
    typeof schema.pattern === 'string' ? `of the form \`${schema.pattern}\`` : '',
    typeof schema.format === 'string' ? schema.format : '',
  ].filter((text) => text !== '');
}

function kind(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  const choices = schemasOf(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) return choices.map(typeWords).join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.type === 'array') return `array of ${isSchema(schema.items) ? typeWords(schema.items) : 'anything'}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return typeof schema.type === 'string' ? schema.type : 'anything';
}

/** Describes the type and the limits of a value. */
export const typeWords = (schema: Schema): string => [kind(schema), ...limits(schema)].join(', ');

/** Shows the JSON form of a value, with types in place of values. */
export function shape(schema: Schema): string {
  if (schema.type === 'array') return `[${isSchema(schema.items) ? shape(schema.items) : ''}, …]`;
  if (schema.type !== 'object') {
    const choices = schemasOf(schema.anyOf ?? schema.oneOf);
    return choices.length > 0 ? choices.map(shape).join(' or ') : kind(schema);
  }
  const fields = fieldsOf(schema).map(
    ({ name, isRequired, schema: field }) => `"${name}"${isRequired ? '' : '?'}: ${shape(field)}`,
  );
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{ … }';
}
