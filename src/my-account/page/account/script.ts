import { confirmInPlace, sendChange } from '../../../ui/browser/lib/confirmation.ts';
import { find, get } from '../../../ui/browser/lib/dom.ts';
import {
  clearMessages,
  isBusy,
  removePastMessages,
  setBusy,
  setNotice,
  showRefusal,
} from '../../../ui/browser/lib/form.ts';
import { createPasskey } from '../../../ui/browser/lib/passkey.ts';
import { pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const area = get('account', HTMLElement);
const ways = (area.dataset.ways ?? '').split(' ').filter(Boolean);
const PASSKEYS = '/authsvc/api/account/passkeys';

/** In the last seconds of a confirmation, the page asks for a new one, because a form may arrive too late. */
const SPARE_MS = 10_000;
const CONFIRMATION_MS = 600_000;
let confirmedUntil = Number(area.dataset.confirmed) * 1000;

/** Asks the user for the confirmation that a form needs, and then submits the form. */
async function confirmThenSend(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  if (!(await confirmInPlace(ways))) return;
  confirmedUntil = performance.now() + CONFIRMATION_MS;
  form.requestSubmit(submitter);
}

/** Creates a passkey in this browser or on another device, and adds it to the account. */
async function addPasskey(button: HTMLButtonElement, notice: HTMLElement): Promise<void> {
  clearMessages(area);
  setBusy(button, texts.working);
  const offer = await sendChange('POST', `${PASSKEYS}/options`, {});
  if (offer.kind === 'cancelled') return setBusy(button, undefined);
  if (offer.kind !== 'done') return showRefusal(notice, button, offer);
  setBusy(button, texts.adding);
  const created = await createPasskey(offer.body.options);
  if (created.kind !== 'answered') {
    setBusy(button, undefined);
    if (created.kind === 'failed') setNotice(notice, texts.passkeyFailed);
    else setNotice(notice, texts.notAdded, texts.notAddedHint);
    return removePastMessages();
  }
  const outcome = await sendChange('POST', PASSKEYS, { response: created.response });
  if (outcome.kind === 'done') return location.assign('/authsvc/account/passkeys?done=passkeyAdded');
  if (outcome.kind === 'cancelled') return setBusy(button, undefined);
  showRefusal(notice, button, outcome);
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.confirm === undefined) return;
  if (performance.now() < confirmedUntil - SPARE_MS) return;
  event.preventDefault();
  void confirmThenSend(form, event.submitter);
});
find('print', HTMLButtonElement)?.addEventListener('click', () => print());
const passkey = find('passkey', HTMLButtonElement);
const notice = find('passkey-error', HTMLElement);
passkey?.addEventListener('click', () => {
  if (notice && !isBusy(passkey)) void addPasskey(passkey, notice);
});
