import { announce } from '../../../ui/browser/lib/announce.ts';
import { get } from '../../../ui/browser/lib/dom.ts';
import { isBusy, setAlert, setBusy, showRefusal } from '../../../ui/browser/lib/form.ts';
import { postJson } from '../../../ui/browser/lib/post-json.ts';
import { addSoftBreaks } from '../../../ui/browser/lib/soft-breaks.ts';
import { texts } from '../../../ui/browser/lib/texts.ts';
import { localiseTimes, tellAges } from '../../../ui/browser/lib/times.ts';
import { keepWordsWhole } from '../../../ui/browser/lib/whole-words.ts';

const form = get('decision', HTMLFormElement);
const approve = get('approve', HTMLButtonElement);
const deny = get('deny', HTMLButtonElement);
const alert = get('form-error', HTMLElement);

/** Gone, decided or run out meanwhile: the page itself says which, when it is asked for again. */
const isOver = (status: number): boolean => [404, 409, 410].includes(status);

function showDone(what: 'approved' | 'denied'): void {
  announce('');
  get('question', HTMLElement).hidden = true;
  get(what, HTMLElement).hidden = false;
  const heading = get(`${what}-heading`, HTMLElement);
  document.title = document.title.replace(/^[^·]*/, `${heading.textContent} `);
  heading.focus();
}

async function decide(button: HTMLButtonElement, action: 'approve' | 'deny'): Promise<void> {
  if (isBusy(approve) || isBusy(deny)) return;
  setAlert(alert, undefined);
  setBusy(button, texts.working);
  const outcome = await postJson('/api/cli/device/approve', { user_code: form.dataset.code, action });
  if (outcome.kind === 'done') return showDone(action === 'approve' ? 'approved' : 'denied');
  if (outcome.kind === 'refused' && (outcome.status === 401 || isOver(outcome.status))) return location.reload();
  showRefusal(alert, button, outcome);
}

approve.addEventListener('click', () => void decide(approve, 'approve'));
deny.addEventListener('click', () => void decide(deny, 'deny'));
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
localiseTimes();
tellAges();
addSoftBreaks();
keepWordsWhole();
