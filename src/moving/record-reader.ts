import { parseZonedInstant } from '../lib/instant.ts';
import { invalid, type LineRefusal } from './line-refusal.ts';

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads the fields of a record. A read returns undefined if the record does not contain the field.
 *
 * Every read throws LineRefusal FIELD_INVALID if the value has another type.
 */
export class RecordReader {
  readonly #values: ReadonlyMap<string, unknown>;
  /** The name of the field that contains this object. Error messages name it. Undefined for the record itself. */
  readonly #field: string | undefined;
  readonly #asked = new Set<string>();
  /** The readers of objects inside this object. */
  readonly #inner: RecordReader[] = [];

  /** @param field name of the field that contains the object; undefined for the record itself */
  constructor(object: object, field?: string) {
    this.#values = new Map(Object.entries(object));
    this.#field = field;
  }

  /** Returns the fields that were never read. Includes fields of inner objects, such as `tokens.color`. */
  unknown(): string[] {
    const prefix = this.#field === undefined ? '' : `${this.#field}.`;
    const own = [...this.#values.keys()].filter((name) => !this.#asked.has(name));
    return [...own.map((name) => prefix + name), ...this.#inner.flatMap((reader) => reader.unknown())];
  }

  #read(object: object, name: string): RecordReader {
    const reader = new RecordReader(object, name);
    this.#inner.push(reader);
    return reader;
  }

  raw(name: string): unknown {
    this.#asked.add(name);
    return this.#values.get(name);
  }

  /**
   * Returns a refusal that names the field, after the name of the field that contains this object, such as
   * `tokens.name`.
   */
  refusal(name: string, fault: string): LineRefusal {
    const path = this.#field === undefined ? name : `${this.#field}.${name}`;
    return invalid(this.#field ?? name, `The field ${path} ${fault}.`);
  }

  #refuse(name: string, form: string): LineRefusal {
    return this.refusal(name, `must be ${form}`);
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.#refuse(name, 'text');
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.refusal(name, 'is missing');
    return value;
  }

  textOrNull(name: string): string | null | undefined {
    return this.raw(name) === null ? null : this.text(name);
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.#refuse(name, 'true or false');
  }

  integer(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
    throw this.#refuse(name, 'a whole number');
  }

  texts(name: string): string[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.#refuse(name, 'a list of texts');
  }

  instant(name: string): number | undefined {
    const text = this.text(name);
    const at = text === undefined ? undefined : parseZonedInstant(text);
    if (text === undefined || at !== undefined) return at;
    throw this.#refuse(name, 'a time in ISO 8601 with its time zone, such as 2026-01-31T12:00:00Z');
  }

  instantOrNull(name: string): number | null | undefined {
    return this.raw(name) === null ? null : this.instant(name);
  }

  /** Reads a list of objects. Returns one reader per object, and an empty list for null or a missing field. */
  objects(name: string): RecordReader[] {
    const value = this.raw(name) ?? [];
    if (Array.isArray(value) && value.every(isObject)) return value.map((item) => this.#read(item, name));
    throw this.#refuse(name, 'a list of objects');
  }

  /** Reads an object. Returns undefined for null or a missing field. */
  object(name: string): RecordReader | undefined {
    const value = this.raw(name) ?? undefined;
    if (value === undefined) return undefined;
    if (isObject(value)) return this.#read(value, name);
    throw this.#refuse(name, 'an object');
  }

  /** Returns the names of all fields of this object. */
  names(): string[] {
    return [...this.#values.keys()];
  }
}
