import { get } from '../../../ui/browser/lib/dom.ts';
import { fill, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const search = get('search', HTMLFormElement);
const query = get('query', HTMLInputElement);
const found = get('found', HTMLElement);
const none = get('none', HTMLElement);
const categories = [...document.querySelectorAll<HTMLElement>('[data-category]')];
const entries = [...document.querySelectorAll<HTMLElement>('[data-entry]')];
const folds = [...document.querySelectorAll<HTMLDetailsElement>('[data-category] > details')];
const wordsOf = new Map(entries.map((entry) => [entry, entry.textContent?.toLowerCase() ?? '']));

/**
 * In wide windows, a list of categories is beside the entries, and the categories are open. In narrow windows, the
 * categories are closed, so that they look like such a list.
 */
const contents = matchMedia('(min-width: 62rem)');
let openBeforeSearch: boolean[] | undefined;

/** Opens all categories while a search runs. When the search ends, restores the categories that were open before. */
function unfoldFor(isSearch: boolean): void {
  const before = openBeforeSearch;
  if (isSearch === (before !== undefined)) return;
  openBeforeSearch = isSearch ? folds.map(({ open }) => open) : undefined;
  for (const [index, fold] of folds.entries()) fold.open = isSearch || (before?.[index] ?? true);
}

function filter(): void {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of entries) {
    entry.hidden = !words.every((word) => wordsOf.get(entry)?.includes(word));
  }
  for (const category of categories) {
    category.hidden = !category.querySelector('[data-entry]:not([hidden])');
    const link = document.querySelector<HTMLElement>(`.contents a[href="#${category.id}"]`);
    if (link) link.hidden = category.hidden;
  }
  unfoldFor(words.length > 0);
  const count = entries.filter((entry) => !entry.hidden).length;
  none.hidden = count > 0;
  const sentence = fill(texts.found, { count: String(count), total: String(entries.length) });
  found.textContent = words.length > 0 ? sentence : '';
}

function showTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.closest('[hidden]')) {
    query.value = '';
    filter();
  }
  const fold = target.closest('details') ?? target.querySelector('details');
  if (fold) fold.open = true;
  target.scrollIntoView();
}

function lay(): void {
  if (openBeforeSearch === undefined) for (const fold of folds) fold.open = contents.matches;
  showTarget();
}

search.addEventListener('submit', (event) => event.preventDefault());
query.addEventListener('input', filter);
addEventListener('hashchange', showTarget);
search.hidden = false;
contents.addEventListener('change', lay);
lay();
