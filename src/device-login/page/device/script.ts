import { announce } from '../../../ui/browser/lib/announce.ts';
import { get } from '../../../ui/browser/lib/dom.ts';
import { clearMessages, isBusy, setBusy, showRefusal } from '../../../ui/browser/lib/form.ts';
import { postJson } from '../../../ui/browser/lib/post-json.ts';
import { texts } from '../../../ui/browser/lib/texts.ts';

const form = get('decision', HTMLFormElement);
const approve = get('approve', HTMLButtonElement);
const deny = get('deny', HTMLButtonElement);
const notice = get('form-error', HTMLElement);

/** Returns whether a reply means that the request is unknown, decided or expired. A reload of the page shows which. */
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
  clearMessages(form);
  setBusy(button, texts.working);
  const outcome = await postJson('/api/cli/device/approve', { user_code: form.dataset.code, action });
  if (outcome.kind === 'done') return showDone(action === 'approve' ? 'approved' : 'denied');
  if (outcome.kind === 'refused' && (outcome.status === 401 || isOver(outcome.status))) return location.reload();
  showRefusal(notice, button, outcome);
}

approve.addEventListener('click', (event) => {
  event.preventDefault();
  void decide(approve, 'approve');
});
deny.addEventListener('click', (event) => {
  event.preventDefault();
  void decide(deny, 'deny');
});
