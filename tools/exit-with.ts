import process from 'node:process';

/**
 * Runs a program and exits with the code that it returns. If it throws, exits with 1 and prints the result of `describe`.
 */
export function exitWith(main: () => Promise<number>, describe: (error: Error) => string | undefined): void {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? describe(error) : error}\n`);
      process.exitCode = 1;
    },
  );
}
