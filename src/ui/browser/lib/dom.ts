/** Returns an element that the page must have. Throws if it is missing, because then template and script do not match. */
export function get<T extends Element>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} #${id}.`);
}

/** Returns an element, or undefined if this page does not have it. */
export function find<T extends Element>(id: string, kind: new () => T): T | undefined {
  const element = document.getElementById(id);
  return element instanceof kind ? element : undefined;
}
