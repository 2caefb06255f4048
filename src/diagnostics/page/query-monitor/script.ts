import { find, get } from '../../../ui/browser/lib/dom.ts';
import { isBusy, setBusy, showRefusal } from '../../../ui/browser/lib/form.ts';
import { postJson } from '../../../ui/browser/lib/post-json.ts';
import { fill, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const refreshMs = 2000;
const tools = get('tools', HTMLFormElement);
const filter = get('filter', HTMLInputElement);
const slowest = get('slowest', HTMLButtonElement);
const failures = get('failures', HTMLButtonElement);
const pause = get('pause', HTMLButtonElement);
const live = get('live', HTMLElement);
const found = get('found', HTMLElement);
const notice = get('form-error', HTMLElement);
/** On wide windows the list of requests is beside the queries, where it has room for more entries. */
const wide = matchMedia('(min-width: 62rem)');
let chosenRequest = '';

const isOn = (button: HTMLButtonElement): boolean => button.getAttribute('aria-pressed') === 'true';
const isPaused = (): boolean => pause.classList.contains('is-paused');
const rows = (): HTMLElement[] => [...live.querySelectorAll<HTMLElement>('[data-query]')];

function isShown(row: HTMLElement, words: string[]): boolean {
  if (isOn(failures) && row.dataset.failed !== 'true') return false;
  if (chosenRequest && row.dataset.request !== chosenRequest) return false;
  const text = row.textContent?.toLowerCase() ?? '';
  return words.every((word) => text.includes(word));
}

function sortRows(all: HTMLElement[]): void {
  const key = (row: HTMLElement) => Number(isOn(slowest) ? row.dataset.ms : row.dataset.number);
  get('queries', HTMLElement).append(...[...all].sort((a, b) => key(b) - key(a)));
}

/** Shows the first requests. With the failures filter, shows only requests that have a failed query. */
function showRequests(all: HTMLElement[]): void {
  const failed = new Set(all.filter((row) => row.dataset.failed === 'true').map((row) => row.dataset.request));
  let room = wide.matches ? 10 : 5;
  for (const button of live.querySelectorAll<HTMLButtonElement>('button[data-request]')) {
    const request = button.dataset.request ?? '';
    button.setAttribute('aria-pressed', String(request === chosenRequest));
    const isWanted = request === chosenRequest || ((!isOn(failures) || failed.has(request)) && room > 0);
    if (isWanted) room -= 1;
    if (button.parentElement) button.parentElement.hidden = !isWanted;
  }
}

/** Applies the filter, the sort order and the chosen request to the list of queries. */
function arrange(): void {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = rows();
  sortRows(all);
  for (const row of all) row.hidden = !isShown(row, words);
  const count = all.filter((row) => !row.hidden).length;
  const none = get('none', HTMLElement);
  none.hidden = count > 0;
  showRequests(all);
  const isNarrowed = words.length > 0 || isOn(failures) || chosenRequest !== '';
  const isFiltered = words.length > 0 || chosenRequest !== '';
  const { empty, paused, failures: noFailure, filtered } = none.dataset;
  none.textContent = (all.length === 0 ? (isPaused() ? paused : empty) : isFiltered ? filtered : noFailure) ?? '';
  const sentence = fill(texts.foundQueries, { count: String(count), total: String(all.length) });
  found.textContent = [isPaused() ? texts.paused : '', isNarrowed ? sentence : ''].filter(Boolean).join(' · ');
}

/** Remembers which queries are open and where the focus is. Returns a function that restores this after a refresh. */
function remember(): () => void {
  const open = rows().filter((row) => row.querySelector('details')?.open);
  const numbers = new Set(open.map((row) => row.dataset.number));
  const focus = document.activeElement;
  const held =
    focus instanceof HTMLElement && live.contains(focus) ? focus.closest<HTMLElement>('[data-query], button') : null;
  return () => {
    for (const row of rows()) {
      const details = row.querySelector('details');
      if (details && numbers.has(row.dataset.number)) details.open = true;
      if (held?.dataset.number && row.dataset.number === held.dataset.number) row.querySelector('summary')?.focus();
    }
    if (held instanceof HTMLButtonElement) {
      live.querySelector<HTMLElement>(`button[data-request="${CSS.escape(held.dataset.request ?? '')}"]`)?.focus();
    }
  };
}

const isReading = (): boolean => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && live.contains(selection.anchorNode);
};

async function refresh(): Promise<void> {
  if (isPaused() || document.hidden || isReading()) return;
  try {
    const response = await fetch(location.href, { credentials: 'same-origin', headers: { accept: 'text/html' } });
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('live');
    if (!response.ok || !fresh || isPaused()) return;
    const restore = remember();
    live.replaceChildren(...fresh.childNodes);
    arrange();
    restore();
  } catch {
    // The service is restarting, which is usual in development. The next refresh tries again.
  }
}

async function keepFresh(): Promise<void> {
  await refresh();
  setTimeout(() => void keepFresh(), refreshMs);
}

async function reset(button: HTMLButtonElement): Promise<void> {
  setBusy(button, texts.working);
  const outcome = await postJson('/authsvc/db/reset', {});
  if (outcome.kind === 'done') location.replace(`/authsvc/db?limit=${button.dataset.limit}&resetDone=1`);
  else showRefusal(notice, button, outcome);
}

for (const button of [slowest, failures]) {
  button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', String(!isOn(button)));
    arrange();
  });
}
pause.addEventListener('click', () => {
  pause.classList.toggle('is-paused');
  arrange();
});
const resetButton = find('reset', HTMLButtonElement);
resetButton?.addEventListener('click', () => {
  if (!isBusy(resetButton)) void reset(resetButton);
});
live.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('button[data-request]') : null;
  if (!button) return;
  const request = button.dataset.request ?? '';
  chosenRequest = chosenRequest === request ? '' : request;
  arrange();
});
/** Removes `resetDone` from the address, so that a reload or a bookmark does not report an old reset again. */
function forgetReset(): void {
  const address = new URL(location.href);
  if (!address.searchParams.has('resetDone')) return;
  address.searchParams.delete('resetDone');
  history.replaceState(history.state, '', address);
}

tools.addEventListener('submit', (event) => event.preventDefault());
filter.addEventListener('input', arrange);
wide.addEventListener('change', arrange);
forgetReset();
tools.hidden = false;
arrange();
setTimeout(() => void keepFresh(), refreshMs);
