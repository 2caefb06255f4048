import { Turns } from '../lib/turns.ts';

/**
 * Counts the password guesses of one budget one after another, and keeps track of the passwords that are being
 * compared.
 */
export class GuessTurns extends Turns {
  readonly #compared = new Map<string, Set<Promise<unknown>>>();

  /** Compares the password of a counted guess. `compared` waits for this comparison. */
  async compare<T>(budget: string, work: () => Promise<T>): Promise<T> {
    const compared = this.#compared.get(budget) ?? new Set();
    this.#compared.set(budget, compared);
    const result = work();
    compared.add(result);
    try {
      return await result;
    } finally {
      compared.delete(result);
      if (compared.size === 0) this.#compared.delete(budget);
    }
  }

  /**
   * Waits until all running comparisons for a budget have finished.
   *
   * @returns false, without waiting, if no comparison is running
   */
  async compared(budget: string): Promise<boolean> {
    const compared = this.#compared.get(budget);
    if (!compared) return false;
    await Promise.allSettled([...compared]);
    return true;
  }
}
