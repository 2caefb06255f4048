import { REFUSED } from './refusal-words.ts';

/**
 * A failure of the command itself: a terminal, a file, a port or another service is the cause. If a rule refuses, it throws
 * an AppError instead.
 */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}
