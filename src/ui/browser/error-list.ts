import { get } from './lib/dom.ts';
import { addSoftBreaks } from './lib/soft-breaks.ts';
import { fill, texts } from './lib/texts.ts';

const search = get('search', HTMLFormElement);
const query = get('query', HTMLInputElement);
const found = get('found', HTMLElement);
const none = get('none', HTMLElement);
const categories = [...document.querySelectorAll<HTMLElement>('[data-category]')];
const entries = [...document.querySelectorAll<HTMLElement>('[data-entry]')];
const wordsOf = new Map(entries.map((entry) => [entry, entry.textContent?.toLowerCase() ?? '']));

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
  const count = entries.filter((entry) => !entry.hidden).length;
  none.hidden = count > 0;
  const sentence = fill(texts.found, { count: String(count), total: String(entries.length) });
  found.textContent = words.length > 0 ? sentence : '';
}

function showTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.hidden) return;
  query.value = '';
  filter();
  target.scrollIntoView();
}

search.addEventListener('submit', (event) => event.preventDefault());
query.addEventListener('input', filter);
addEventListener('hashchange', showTarget);
addSoftBreaks();
search.hidden = false;
