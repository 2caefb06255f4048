import { get } from '../../../ui/browser/lib/dom.ts';
import { isBusy, setAlert, setBusy, setFieldError, showRefusal } from '../../../ui/browser/lib/form.ts';
import { keepFresh } from '../../../ui/browser/lib/fresh.ts';
import { showNotice } from '../../../ui/browser/lib/notice.ts';
import { postJson, type Refusal } from '../../../ui/browser/lib/post-json.ts';
import { rememberedName, rememberName } from '../../../ui/browser/lib/remembered-name.ts';
import { pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const form = get('login', HTMLFormElement);
const username = get('username', HTMLInputElement);
const password = get('password', HTMLInputElement);
const submit = get('submit', HTMLButtonElement);
const alert = get('form-error', HTMLElement);
const reveal = get('reveal', HTMLButtonElement);
const notice = get('notice', HTMLElement);
const capsLock = get('caps-lock', HTMLElement);
const isSignedIn = form.dataset.signedIn === 'true';
const destination = form.dataset.redirect ?? '/authsvc/';

function refuse(field: HTMLInputElement, message: string, hint = ''): void {
  setFieldError(field, message, hint);
  field.focus();
  field.select();
}

function clearErrors(): void {
  notice.hidden = true;
  setAlert(alert, undefined);
  setFieldError(username, undefined);
  setFieldError(password, undefined);
}

/** Tells of every field that is not well filled in, and leads to the first of them. */
function isComplete(): boolean {
  const isShort = password.value.length < 8;
  if (isShort) refuse(password, password.value === '' ? texts.passwordRequired : texts.passwordTooShort);
  if (username.value.trim() !== '') return !isShort;
  refuse(username, texts.usernameRequired);
  return false;
}

function setRevealed(revealed: boolean): void {
  password.type = revealed ? 'text' : 'password';
  reveal.setAttribute('aria-pressed', String(revealed));
  reveal.setAttribute('aria-label', revealed ? texts.hidePassword : texts.showPassword);
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
    showRefusal(alert, submit, outcome);
    return;
  }
  setBusy(submit, undefined);
  refuse(field, outcome.message, outcome.hint);
}

async function signIn(): Promise<void> {
  clearErrors();
  if (!isComplete()) return;
  setBusy(submit, texts.signingIn);
  setRevealed(false);
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
  location.assign(outcome.body.two_factor_required === true ? '/authsvc/2fa' : destination);
}

function prefill(): void {
  if (isSignedIn) return;
  if (username.value === '') username.value = rememberedName();
  (username.value === '' ? username : password).focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy(submit)) void signIn();
});
for (const field of [username, password]) {
  field.addEventListener('input', () => setFieldError(field, undefined));
}
for (const type of ['keydown', 'keyup'] as const) {
  password.addEventListener(type, (event) => {
    capsLock.textContent = event.getModifierState?.('CapsLock') ? texts.capsLock : '';
  });
}
password.addEventListener('blur', () => {
  capsLock.textContent = '';
});
reveal.addEventListener('click', () => setRevealed(password.type === 'password'));
// Whoever goes back after a sign-in is signed in: the name that the browser puts into the field again is of no use there.
addEventListener('pageshow', () => {
  if (isSignedIn && username.value.trim() === rememberedName()) username.value = '';
});
keepFresh();
showNotice(notice);
reveal.hidden = false;
prefill();
