/** The element a page is built with; a page without it is a mistake of ours, so it throws. */
export function get<T extends Element>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} #${id}.`);
}

/** The element when this page has it. */
export function find<T extends Element>(id: string, kind: new () => T): T | undefined {
  const element = document.getElementById(id);
  return element instanceof kind ? element : undefined;
}
