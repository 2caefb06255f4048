import { Turns } from '../lib/turns.ts';

/** Lets guesses of one budget be counted one after the other, and knows which of them are being compared. */
export class GuessTurns extends Turns {
  readonly #compared = new Map<string, Set<Promise<unknown>>>();

  /** Compares the password of a counted guess. */
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
   * Waits until the passwords that are being compared have been.
   *
   * @returns false at once if there are none
   */
  async compared(budget: string): Promise<boolean> {
    const compared = this.#compared.get(budget);
    if (!compared) return false;
    await Promise.allSettled([...compared]);
    return true;
  }
}
