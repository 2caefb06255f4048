// The documented types of fields for which the schema accepts any value. Rules check such a field, so that each fault has
// its own error; a schema would report the same error for all of them.
import type { Schema } from './schema-words.ts';

const yes: Schema = { enum: [true, false, 'true'] };
const text: Schema = { type: 'string' };

const known: Record<string, Schema> = {
  username: { type: 'string', minLength: 1, maxLength: 255 },
  password: { type: 'string', minLength: 8, maxLength: 255 },
  redirect: { type: 'string', pattern: '^/' },
  session_id: { type: 'string', format: 'uuid' },
  _csrf: text,
  is_encrypt: yes,
  trust_device: yes,
  code: text,
  state: text,
  iss: text,
  error: text,
  user_code: text,
};

/** Returns whether a schema accepts any value. */
export const isVague = (schema: Schema): boolean => !['type', 'enum', 'const', 'anyOf'].some((word) => word in schema);

/**
 * Returns the documented schema of a field. If its own schema is less exact than `known`, adds what `known` says about
 * fields of this name.
 */
export function documentedField(name: string, schema: Schema): Schema {
  const isCredential = name === 'username' || name === 'password';
  const saysLess = isVague(schema) || (isCredential && !('maxLength' in schema));
  return saysLess ? { ...schema, ...known[name] } : schema;
}
