import { find, get } from '../../../ui/browser/lib/dom.ts';
import {
  clearMessages,
  isBusy,
  refuseField,
  removePastMessages,
  setBusy,
  setFieldError,
  setNotice,
  showRefusal,
} from '../../../ui/browser/lib/form.ts';
import { createPasskey, hasPasskeys } from '../../../ui/browser/lib/passkey.ts';
import { postJson, type Refusal } from '../../../ui/browser/lib/post-json.ts';
import { messageOf, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();

const form = get('welcome', HTMLFormElement);
const token = find('token', HTMLInputElement);
const button = find('passkey', HTMLButtonElement);
const { code } = form.dataset;

/**
 * Returns whether the code of the second factor is entered, if the page needs one. It is checked first, so that the
 * browser creates no passkey that the service would refuse.
 */
function hasCode(): boolean {
  if (token?.value.trim() !== '') return true;
  setFieldError(token, messageOf('SECOND_STEP_CODE_REQUIRED'));
  token.focus();
  return false;
}

function refuse(notice: HTMLElement, pressed: HTMLButtonElement, outcome: Refusal): void {
  if (!token || outcome.kind !== 'refused' || outcome.code !== 'TOTP_CODE_INCORRECT') {
    showRefusal(notice, pressed, outcome);
    return;
  }
  setBusy(pressed, undefined);
  refuseField(token, outcome.message, outcome.hint);
  removePastMessages();
}

async function addPasskey(pressed: HTMLButtonElement): Promise<void> {
  const notice = get('passkey-error', HTMLElement);
  clearMessages(document.body);
  if (!hasCode()) return;
  setBusy(pressed, texts.passkeyWaiting);
  const offer = await postJson('/authsvc/api/welcome/options', { code });
  if (offer.kind !== 'done') return refuse(notice, pressed, offer);
  const created = await createPasskey(offer.body.options);
  if (created.kind !== 'answered') {
    setBusy(pressed, undefined);
    if (created.kind === 'failed') setNotice(notice, texts.passkeyFailed);
    else setNotice(notice, texts.passkeyCancelled, texts.passkeyCancelledHint);
    return removePastMessages();
  }
  setBusy(pressed, texts.signingIn);
  const { response } = created;
  const outcome = await postJson('/authsvc/api/welcome', { code, response, ...(token ? { token: token.value } : {}) });
  if (outcome.kind !== 'done') return refuse(notice, pressed, outcome);
  const { redirect_url: target } = outcome.body;
  location.assign(typeof target === 'string' ? target : '/authsvc/');
}

if (button && !hasPasskeys()) {
  const choice = button.parentElement;
  choice?.previousElementSibling?.remove();
  choice?.remove();
}
// This button adds a passkey. The form for a password is sent by the browser itself, without a script.
button?.addEventListener('click', () => {
  if (!isBusy(button)) void addPasskey(button);
});
