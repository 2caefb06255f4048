// Values of requests and replies whose types follow from their schemas. `Type.Unsafe` believes the type that it is told,
// so only this folder uses it.
import { type Static, type TInteger, type TString, type TUnsafe, Type } from 'typebox';

/** A text or a number, or null. */
export const orNull = <Schema extends TString | TInteger>(schema: Schema): TUnsafe<Static<Schema> | null> =>
  Type.Unsafe({ ...schema, type: [schema.type, 'null'] });

/** One of these texts, or null if it is among them. */
export const oneOf = <const Value extends string | null>(
  values: readonly Value[],
  options: { description?: string } = {},
): TUnsafe<Value> =>
  Type.Unsafe({
    type: values.some((value) => value === null) ? ['string', 'null'] : 'string',
    enum: [...values],
    ...options,
  });

/** A text, or several of a parameter that is repeated. */
export const oneOrMore = (description: string): TUnsafe<string | string[]> =>
  Type.Unsafe({ type: ['string', 'array'], items: { type: 'string' }, description });
