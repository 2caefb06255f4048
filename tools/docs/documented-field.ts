// What callers should send in fields that the schema accepts with any value, because rules check them and each fault
// has its own error. A schema would give one error for all of them.
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

/** Whether a schema accepts anything. */
export const isVague = (schema: Schema): boolean => !['type', 'enum', 'const', 'anyOf'].some((word) => word in schema);

/** The schema of a field: its own, with what is known of the name where it says less. */
export function documentedField(name: string, schema: Schema): Schema {
  const isCredential = name === 'username' || name === 'password';
  const saysLess = isVague(schema) || (isCredential && !('maxLength' in schema));
  return saysLess ? { ...schema, ...known[name] } : schema;
}
