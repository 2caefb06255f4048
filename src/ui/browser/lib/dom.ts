/** Gets an element that the page must have. Throws if it is missing, because that is a mistake of ours. */
export function get<T extends Element>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} #${id}.`);
}

/** The element, if this page has it. */
export function find<T extends Element>(id: string, kind: new () => T): T | undefined {
  const element = document.getElementById(id);
  return element instanceof kind ? element : undefined;
}
