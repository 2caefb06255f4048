/**
 * Returns a function that calls `make` at its first use and then always returns the same value. Use it for values
 * that do not change while the process runs.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
