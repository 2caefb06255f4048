import { get } from './dom.ts';

/** Shows the warnings of lists, one entry on each line, that lack an entry. */
export function warnOfMissingLines(): void {
  for (const warning of document.querySelectorAll<HTMLElement>('[data-lacks]')) {
    const { lacks = '', list = '' } = warning.dataset;
    const field = get(list, HTMLTextAreaElement);
    const judge = () => {
      const lines = field.value.split('\n').map((line) => line.trim().toLowerCase());
      warning.hidden = lines.includes(lacks.toLowerCase());
    };
    field.addEventListener('input', judge);
    judge();
  }
}
