// Schemas for values in requests and replies, with types that follow from them. Only this folder uses
// `Type.Unsafe`, because `Type.Unsafe` does not check that the type matches the schema.
import { type Static, type TInteger, type TString, type TUnsafe, Type } from 'typebox';

/** Returns a schema that allows null in addition to a text or a number. */
export const orNull = <Schema extends TString | TInteger>(schema: Schema): TUnsafe<Static<Schema> | null> =>
  Type.Unsafe({ ...schema, type: [schema.type, 'null'] });

/** Returns a schema that allows each of these texts, and null if the list contains null. */
export const oneOf = <const Value extends string | null>(
  values: readonly Value[],
  options: { description?: string } = {},
): TUnsafe<Value> =>
  Type.Unsafe({
    type: values.some((value) => value === null) ? ['string', 'null'] : 'string',
    enum: [...values],
    ...options,
  });

/** Returns a schema that allows a text, or a list of texts for a query parameter that is repeated. */
export const oneOrMore = (description: string): TUnsafe<string | string[]> =>
  Type.Unsafe({ type: ['string', 'array'], items: { type: 'string' }, description });
