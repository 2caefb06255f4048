import { errorCategories, errorNames, errorRegistry } from '../errors/registry.ts';
import type { PageData } from '../ui/render.ts';

/** Every entry of the error registry, by category. */
export function errorListPage(): PageData['error-list'] {
  return {
    categories: errorCategories.map(({ name, from, to }) => ({
      name,
      range: `${from}–${to}`,
      entries: errorNames
        .map((entry) => ({ name: entry, ...errorRegistry[entry] }))
        .filter(({ number }) => number >= from && number <= to)
        .sort((a, b) => a.number - b.number),
    })),
  };
}
