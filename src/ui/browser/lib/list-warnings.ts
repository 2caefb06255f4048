import { get } from './dom.ts';
import { fill } from './texts.ts';

/** Returns the warning for a list that has one entry per line; undefined if there is no reason to warn. */
type Judge = (entries: readonly string[], warning: DOMStringMap) => string | undefined;

const lacks: Judge = (entries, { lacks: entry = '', words = '' }) =>
  entries.some((one) => one.toLowerCase() === entry.toLowerCase()) ? undefined : words;

const holdsUnknown: Judge = (entries, { known = '[]', words = '' }) => {
  const names: readonly string[] = JSON.parse(known);
  const unknown = entries.filter((entry) => !names.includes(entry.toLowerCase()));
  return unknown.length === 0 ? undefined : fill(words, { names: unknown.join(', ') });
};

/**
 * Shows warnings below lists while the person types. A list with `data-lacks` must contain that entry; a list with
 * `data-known` must contain only known entries.
 */
export function warnOfLists(): void {
  for (const warning of document.querySelectorAll<HTMLElement>('[data-list]')) {
    const field = get(warning.dataset.list ?? '', HTMLTextAreaElement);
    const judge = warning.dataset.known === undefined ? lacks : holdsUnknown;
    const show = () => {
      const entries = field.value.split('\n').flatMap((line) => line.trim() || []);
      const text = judge(entries, warning.dataset);
      warning.hidden = text === undefined;
      warning.firstElementChild?.replaceChildren(text ?? '');
    };
    field.addEventListener('input', show);
    show();
  }
}
