import { AppError } from '../errors/app-error.ts';
import { sha256 } from '../lib/digest.ts';
import { parseInstant } from '../lib/instant.ts';

/** A query string as parsed by the server. A parameter that occurs several times has an array of values. */
export type ListQuery = Readonly<Record<string, string | string[] | undefined>>;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

function invalid(field: string, allowed?: readonly string[]): never {
  throw new AppError('FIELD_INVALID', { field, ...(allowed ? { allowed } : {}) });
}

/** Reads the parameters of a list. An empty parameter counts as absent. An invalid one throws FIELD_INVALID with its name. */
export class ListParameters {
  readonly #query: ListQuery;

  constructor(query: ListQuery) {
    this.#query = query;
  }

  /** Returns one text. Refuses U+0000, which PostgreSQL cannot store. */
  text(field: string): string | undefined {
    const value = this.#query[field];
    return Array.isArray(value) || value?.includes('\0') ? invalid(field) : value || undefined;
  }

  /** Returns the given values. A row matches if it has any of them. */
  choices(field: string, allowed: readonly string[]): readonly string[] | undefined {
    const values = [this.#query[field] ?? []].flat().filter(Boolean);
    if (values.some((value) => !allowed.includes(value))) invalid(field, allowed);
    return values.length > 0 ? [...new Set(values)].sort() : undefined;
  }

  choice<const T extends string>(field: string, allowed: readonly T[]): T | undefined {
    const text = this.text(field);
    if (text === undefined) return undefined;
    return allowed.find((value) => value === text) ?? invalid(field, allowed);
  }

  boolean(field: string): boolean | undefined {
    const word = this.choice(field, ['true', 'false']);
    return word === undefined ? undefined : word === 'true';
  }

  id(field: string): number | undefined {
    const text = this.text(field);
    if (text === undefined) return undefined;
    return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : invalid(field);
  }

  instant(field: string): number | undefined {
    const text = this.text(field);
    return text === undefined ? undefined : (parseInstant(text) ?? invalid(field));
  }

  limit(): number {
    const text = this.text('limit') ?? String(DEFAULT_LIMIT);
    const limit = Number(text);
    return /^\d{1,3}$/.test(text) && limit >= 1 && limit <= MAX_LIMIT ? limit : invalid('limit');
  }
}

/** A position in a list: after the row with this sort value and id. */
export interface Position {
  /** Null if the row has no value in the sort column. Rows without a value come last. */
  value: string | number | null;
  id: number | string;
}

/** Returns a checksum over a position, its list, the filters and the sort order. The page size is not part of it. */
const sumOf = (list: string, filter: object, { value, id }: Position): string =>
  sha256(JSON.stringify([list, filter, value, id])).slice(0, 16);

/** Returns the cursor for the rows after a position. */
export const toCursor = (list: string, filter: object, position: Position): string =>
  Buffer.from(JSON.stringify([sumOf(list, filter, position), position.value, position.id])).toString('base64url');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a cursor.
 *
 * @throws AppError CURSOR_INVALID if the cursor was modified, or belongs to another list, filter or sort order
 */
export function fromCursor(list: string, filter: object, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString());
  const [sum, value, id]: unknown[] = Array.isArray(parts) ? parts : [];
  const isPart = (part: unknown): part is string | number => typeof part === 'string' || typeof part === 'number';
  const isPosition = (value === null || isPart(value)) && isPart(id);
  if (!isPosition || sum !== sumOf(list, filter, { value, id })) throw new AppError('CURSOR_INVALID');
  return { value, id };
}
