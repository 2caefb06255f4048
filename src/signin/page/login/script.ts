import { find, get } from '../../../ui/browser/lib/dom.ts';
import {
  clearFieldError,
  clearMessages,
  isBusy,
  refuseField,
  removePastMessages,
  setBusy,
  setNotice,
  showRefusal,
} from '../../../ui/browser/lib/form.ts';
import { askForPasskey, hasPasskeys, offersPasskeys } from '../../../ui/browser/lib/passkey.ts';
import { hidePasswords } from '../../../ui/browser/lib/password.ts';
import { postJson, type Refusal } from '../../../ui/browser/lib/post-json.ts';
import { rememberedName, rememberName } from '../../../ui/browser/lib/remembered-name.ts';
import { messageOf, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();

const form = get('login', HTMLFormElement);
const username = get('username', HTMLInputElement);
const password = get('password', HTMLInputElement);
const submit = get('submit', HTMLButtonElement);
const notice = get('form-error', HTMLElement);
const isAdding = form.dataset.adding === 'true';
const destination = form.dataset.redirect ?? '/authsvc/';

/**
 * Shows an error below every invalid field, and puts the focus on the first one. Returns whether all fields are valid.
 */
function isComplete(): boolean {
  const isShort = password.value.length < 8;
  if (isShort) refuseField(password, password.value === '' ? texts.passwordRequired : messageOf('PASSWORD_TOO_SHORT'));
  const isNameless = username.value.trim() === '';
  if (isNameless) refuseField(username, texts.usernameRequired);
  return !isShort && !isNameless;
}

const fieldOf = new Map([
  ['CREDENTIALS_REQUIRED', username],
  ['USERNAME_INVALID', username],
  ['PASSWORD_TOO_SHORT', password],
  ['PASSWORD_TOO_LONG', password],
  ['PASSWORD_INCORRECT', password],
  ['USER_UNKNOWN', password],
]);

function showOutcome(outcome: Refusal): void {
  const field = outcome.kind === 'refused' ? fieldOf.get(outcome.code) : undefined;
  if (!field || outcome.kind !== 'refused') {
    showRefusal(notice, submit, outcome);
    return;
  }
  setBusy(submit, undefined);
  refuseField(field, outcome.message, outcome.hint);
  removePastMessages();
}

async function signIn(): Promise<void> {
  clearMessages(form);
  if (!isComplete()) return removePastMessages();
  setBusy(submit, texts.signingIn);
  hidePasswords();
  const outcome = await postJson('/authsvc/api/login', {
    username: username.value.trim(),
    password: password.value,
    redirect: destination,
  });
  if (outcome.kind !== 'done') {
    showOutcome(outcome);
    return;
  }
  rememberName(username.value.trim());
  const { two_factor_required: isAsked, redirect_url: target } = outcome.body;
  location.assign(isAsked === true ? '/authsvc/2fa' : typeof target === 'string' ? target : destination);
}

/** A passkey challenge is valid for five minutes. The page renews its own after four. */
const RENEW_AFTER_MS = 4 * 60_000;
const LOOK_EVERY_MS = 30_000;
let offeredAt = 0;

async function finishPasskey(button: HTMLButtonElement, response: object): Promise<void> {
  setBusy(button, texts.signingIn);
  const outcome = await postJson('/authsvc/api/passkey', { response, redirect: destination });
  if (outcome.kind === 'done') {
    const { redirect_url: target } = outcome.body;
    location.assign(typeof target === 'string' ? target : destination);
    return;
  }
  showRefusal(notice, button, outcome);
  void offerInField(button);
}

/** Lets the browser suggest passkeys in the username field, if the browser can do that. No dialog opens. */
async function offerInField(button: HTMLButtonElement): Promise<void> {
  if (!(await offersPasskeys())) return;
  offeredAt = Date.now();
  const offer = await postJson('/authsvc/api/passkey/options', {});
  if (offer.kind !== 'done' || isBusy(button)) return;
  const asked = await askForPasskey(offer.body.options, 'field');
  if (asked.kind === 'answered') await finishPasskey(button, asked.response);
}

/** Starts a sign-in by passkey in a dialog of the browser. */
async function usePasskey(button: HTMLButtonElement): Promise<void> {
  clearMessages(form);
  setBusy(button, texts.passkeyWaiting);
  const offer = await postJson('/authsvc/api/passkey/options', {});
  if (offer.kind !== 'done') return showRefusal(notice, button, offer);
  const asked = await askForPasskey(offer.body.options, 'dialog');
  if (asked.kind === 'answered') return finishPasskey(button, asked.response);
  setBusy(button, undefined);
  if (asked.kind === 'failed') setNotice(notice, texts.passkeyFailed);
  else setNotice(notice, texts.passkeyCancelled, texts.passkeyCancelledHint);
  removePastMessages();
  void offerInField(button);
}

/** Removes the button of a sign-in method. If it was the only method besides the form, removes the divider too. */
function removeChoice(button: HTMLButtonElement): void {
  const choices = button.parentElement;
  button.remove();
  if (choices?.childElementCount !== 0) return;
  choices.previousElementSibling?.remove();
  choices.remove();
}

function offerPasskeys(button: HTMLButtonElement): void {
  if (!hasPasskeys()) {
    removeChoice(button);
    return;
  }
  const renew = () => {
    if (!document.hidden && !isBusy(button) && Date.now() - offeredAt > RENEW_AFTER_MS) void offerInField(button);
  };
  button.addEventListener('click', () => {
    if (!isBusy(button) && !isBusy(submit)) void usePasskey(button);
  });
  document.addEventListener('visibilitychange', renew);
  setInterval(renew, LOOK_EVERY_MS);
  renew();
}

function prefill(): void {
  if (isAdding) return;
  if (username.value === '') username.value = rememberedName();
  (username.value === '' ? username : password).focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy(submit)) void signIn();
});
for (const field of [username, password]) {
  field.addEventListener('input', () => clearFieldError(field));
}
// A person who adds an account and then goes back is already signed in with that account. So the name that the browser
// restores in the field is of no use.
addEventListener('pageshow', () => {
  if (isAdding && username.value.trim() === rememberedName()) username.value = '';
});
prefill();
const passkey = find('passkey', HTMLButtonElement);
if (passkey) offerPasskeys(passkey);
