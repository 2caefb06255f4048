import { REFUSED } from './refusal-words.ts';

/**
 * The command line itself cannot go on: a terminal, a file, a port or another service stands in the way. What a rule
 * refuses is an AppError.
 */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}
