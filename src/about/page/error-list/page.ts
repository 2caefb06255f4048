import { errorCategories, errorNames, errorRegistry } from '../../../errors/registry.ts';
import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** One entry of the error registry. */
export interface ListedError {
  name: string;
  number: number;
  status: number;
  message: string;
  hint: string;
}

/** The data of the page, for its template. */
export interface ErrorListPage {
  categories: { name: string; range: string; entries: ListedError[] }[];
}

export const errorListPage = definePage({
  name: 'error-list',
  texts: { en, de },
  script: { ids: ['search', 'query', 'found', 'none'] },
  samples,
});

/** Returns every entry of the error registry, grouped by category. */
export function errorListPageData(): ErrorListPage {
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
