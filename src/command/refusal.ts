/** A command cannot do what it was asked; the message goes to stderr and the exit code is 1. */
export class Refusal extends Error {}

/** A command was called wrongly; the message goes to stderr and the exit code is 2. */
export class UsageError extends Error {}
