import { enableChanges } from '../../../ui/browser/lib/changes.ts';
import { find } from '../../../ui/browser/lib/dom.ts';
import { warnOfLists } from '../../../ui/browser/lib/list-warnings.ts';
import { sendLocalDays } from '../../../ui/browser/lib/local-days.ts';

const rows = find('rows', HTMLElement);
const filters = find('filters', HTMLFormElement);
const search = filters?.querySelector<HTMLInputElement>('input:not([type="hidden"])');

/** Returns the first link of each row, which opens the row's details. */
const links = (): HTMLAnchorElement[] => [
  ...(rows?.querySelectorAll<HTMLAnchorElement>('tbody tr :is(th, td) a:first-of-type') ?? []),
];

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.matches('input, select, textarea');

/** Moves the focus to the next or previous row. */
function move(step: 1 | -1): boolean {
  const all = links();
  const focused = document.activeElement;
  const at = focused instanceof HTMLAnchorElement ? all.indexOf(focused) : -1;
  const next = all[at === -1 && step === -1 ? all.length - 1 : at + step];
  next?.focus();
  return next !== undefined;
}

if (filters) sendLocalDays(filters, '[data-day]');
enableChanges();
warnOfLists();
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const steps: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[event.key];
  if (event.key === '/' && search) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (step !== undefined && move(step)) {
    event.preventDefault();
  }
});
