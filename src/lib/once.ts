/** Makes a value at its first use, and keeps it: for what does not change while the process runs. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
