/** Counts for each value of a label. */
export class Tally<Label extends string = string> {
  readonly #counts = new Map<Label | 'other', number>();
  readonly #max: number;

  /** @param max maximum number of labels; counts for any further label are added to `other` */
  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  add(label: Label, by = 1): void {
    const known = this.#counts.get(label);
    if (known !== undefined) this.#counts.set(label, known + by);
    else if (this.#counts.size < this.#max) this.#counts.set(label, by);
    else this.#counts.set('other', (this.#counts.get('other') ?? 0) + by);
  }

  entries(): [string, number][] {
    return [...this.#counts];
  }
}

/** Counts measured values in buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds of the buckets, ascending; a value equal to a bound belongs to the bucket below it */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** Returns how many values are at or below each bound, and the number and the sum of all values. */
  read(): { below: [bound: number, count: number][]; count: number; sum: number } {
    let count = 0;
    const below = this.#bounds.map((bound, at): [number, number] => {
      count += this.#counts[at] ?? 0;
      return [bound, count];
    });
    return { below, count: count + (this.#counts.at(-1) ?? 0), sum: this.#sum };
  }
}

const SOURCES = ['memory', 'database'] as const;
const ANSWERS = ['valid', 'invalid', 'error'] as const;

/** Where the answer to a check was found. */
export type CheckSource = (typeof SOURCES)[number];
export type CheckAnswer = (typeof ANSWERS)[number];

/** Counts checks of sessions or tokens. */
export class CheckCounts {
  readonly #counts = {
    valid: { memory: 0, database: 0 },
    invalid: { memory: 0, database: 0 },
    error: { memory: 0, database: 0 },
  };

  add(answer: CheckAnswer, source: CheckSource): void {
    this.#counts[answer][source] += 1;
  }

  entries(): { answer: CheckAnswer; source: CheckSource; count: number }[] {
    return ANSWERS.flatMap((answer) =>
      SOURCES.map((source) => ({ answer, source, count: this.#counts[answer][source] })),
    );
  }
}

/**
 * Counts the result of `find` as a check. A value counts as valid, undefined as invalid, and an exception as an
 * error.
 *
 * @param lookup its `source` says where the answer came from, once `find` has ended
 */
export async function countCheck<T>(
  counts: CheckCounts,
  lookup: { readonly source: CheckSource },
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  try {
    const found = await find();
    counts.add(found === undefined ? 'invalid' : 'valid', lookup.source);
    return found;
  } catch (error) {
    counts.add('error', lookup.source);
    throw error;
  }
}
