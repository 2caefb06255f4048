import buildValidators from '@fastify/ajv-compiler';
import buildSerializers from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import { once } from '../lib/once.ts';

/**
 * Options for validating input. Values are not converted, removed or added. The schemas themselves are not
 * validated, because they are part of this program.
 */
const ajvOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  allowUnionTypes: true,
  validateSchema: false,
} as const;

const validators = once(() => buildValidators()({}, { customOptions: ajvOptions }));
const serializers = once(() => buildSerializers()());

const compileValidator: FastifySchemaCompiler<object> = ({ schema }) => {
  const check = once(() => validators()({ schema }));
  const validate: ReturnType<typeof compileValidator> = (data) => {
    const isValid = check()(data) === true;
    validate.errors = check().errors ?? null;
    return isValid;
  };
  return validate;
};

const compileSerializer: FastifySerializerCompiler<object> = ({ schema, method, url, httpStatus = '' }) => {
  const serialize = once(() => serializers()({ schema, method, url, httpStatus }));
  return (data) => serialize()(data);
};

/**
 * Makes a server compile the schemas of a route only when a request first needs them.
 *
 * Compiling the schemas of all routes took a fifth of the start time, and most of them are needed much later.
 */
export function compileSchemasLate(server: FastifyInstance): void {
  server.setValidatorCompiler(compileValidator);
  server.setSerializerCompiler(compileSerializer);
}
