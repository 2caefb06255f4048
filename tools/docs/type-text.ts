// Writes JSON Schemas as TypeScript types.
import { auditEventNames } from '../../src/events/event-types.ts';
import { webhookEvents } from '../../src/webhooks/webhook.ts';
import { fieldsOf, plainSchema, type Schema } from './schema-words.ts';

/** Types for values that many fields have, by the description of the values. Each type has the description once. */
export const aliases: Record<string, { name: string; type: string }> = {
  'ISO 8601, UTC': { name: 'Instant', type: 'string' },
  "The record's version from the last reply. If the record has changed since then, the request is refused": {
    name: 'Version',
    type: 'number',
  },
  'true: only active entries; false: only disabled entries': { name: 'Active', type: 'Value' },
};

/** A field of an object type. */
export interface Field {
  name: string;
  isRequired: boolean;
  type: string;
  comment: string;
}

/** The names of object types, by the text of the type. */
export type Names = ReadonlyMap<string, string>;

/** Returns whether a value is a JSON Schema. */
export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Indents each line of a text. */
export const indent = (text: string): string => text.replace(/^/gm, '  ');
const commentLine = (text: string): string =>
  text === '' ? '' : `/** ${text.replaceAll('*/', '* /').replace(/^\*/, '`*`')} */\n`;

export const writeField = ({ name, isRequired, type, comment }: Field): string =>
  `${commentLine(comment)}${name}${isRequired ? '' : '?'}: ${type};`;

/** Writes an object type, on one line if the line is short and no field has a comment. */
export function writeObject(fields: readonly Field[]): string {
  const lines = fields.map(writeField);
  const line = lines.length === 0 ? '{}' : `{ ${lines.join(' ').replace(/;$/, '')} }`;
  return line.includes('\n') || line.length > 70 ? `{\n${indent(lines.join('\n'))}\n}` : line;
}

/**
 * Returns the description of a value, or else that of its first alternative. Replaces a list of events by a reference
 * to the documentation.
 */
function commentOf({ description, anyOf }: Schema): string {
  const [choice] = listOf(anyOf).filter(isSchema);
  if (typeof description !== 'string') return choice ? commentOf(choice) : '';
  return description
    .replace(`: ${auditEventNames.join(', ')}`, ' are in docs/audit.md')
    .replace(`names from ${webhookEvents.join(', ')}`, 'names from docs/webhooks.md');
}

/**
 * Creates a field. If `aliases` has a type for its description, that type replaces both the type and the description of
 * the field.
 */
function makeField(name: string, isRequired: boolean, schema: Schema, type: string): Field {
  const comment = commentOf(schema);
  const alias = aliases[comment];
  if (!alias) return { name, isRequired, type, comment };
  return { name, isRequired, type: type.replace(/\b(?:string|number|Value)\b/, alias.name), comment: '' };
}

function typeOfKind(kind: unknown, schema: Schema, names: Names): string {
  switch (kind) {
    case 'string':
    case 'boolean':
    case 'null':
      return kind;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeOf(isSchema(schema.items) ? schema.items : {}, names);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return isSchema(schema.properties) ? objectType(schema, names) : 'Record<string, unknown>';
    default:
      return 'unknown';
  }
}

/** Converts a JSON Schema to a TypeScript type. Objects that have a name are written as that name. */
function typeOf(schema: Schema, names: Names): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = listOf(schema.anyOf).filter(isSchema);
  if (choices.length > 0) return choices.map((choice) => typeOf(choice, names)).join(' | ');
  const kinds = Array.isArray(schema.type) ? schema.type : [schema.type];
  return kinds.map((kind) => typeOfKind(kind, schema, names)).join(' | ');
}

/** Returns the fields of an object. */
export const objectFields = (schema: Schema, names: Names): Field[] =>
  fieldsOf(schema).map(({ name, isRequired, schema: field }) =>
    makeField(name, isRequired, field, typeOf(field, names)),
  );

/** Writes the type of an object: its name if it has one. */
export function objectType(schema: Schema, names: Names): string {
  const text = writeObject(objectFields(schema, new Map()));
  return names.get(text) ?? writeObject(objectFields(schema, names));
}

/** Returns the parameters of a URL. Numbers and booleans are allowed too, because each has only one spelling. */
export const parameters = (schema: unknown): Field[] =>
  fieldsOf(plainSchema(schema)).map(({ name, isRequired, schema: field }) => {
    const isText = field.type === 'string' && !Array.isArray(field.enum);
    const type = isText ? 'Value' : typeOf(field, new Map()).replace('unknown[]', 'string[]');
    return makeField(name, isRequired, field, type);
  });
