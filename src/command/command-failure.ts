import { REFUSED } from './refusal-words.ts';

/**
 * A failure of the command line itself, because of a terminal, a file, a port or another service. Refusals of rules are
 * AppErrors.
 */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}
