import { confirmInPlace } from '../../../ui/browser/lib/confirmation.ts';
import { get } from '../../../ui/browser/lib/dom.ts';

const area = get('account', HTMLElement);
const ways = (area.dataset.ways ?? '').split(' ').filter(Boolean);

/** A form that is sent in the last seconds of a confirmation may come too late. */
const SPARE_MS = 10_000;
const CONFIRMATION_MS = 600_000;
let confirmedUntil = Number(area.dataset.confirmed) * 1000;

/** Asks for the confirmation that a form needs, then sends it. */
async function confirmThenSend(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  if (!(await confirmInPlace(ways))) return;
  confirmedUntil = performance.now() + CONFIRMATION_MS;
  form.requestSubmit(submitter);
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.confirm === undefined) return;
  if (performance.now() < confirmedUntil - SPARE_MS) return;
  event.preventDefault();
  void confirmThenSend(form, event.submitter);
});
