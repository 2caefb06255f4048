import { cleanCode, isAppCode } from '../../../ui/browser/lib/code.ts';
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
import { keepStep } from '../../../ui/browser/lib/kept-step.ts';
import { leaveNotice } from '../../../ui/browser/lib/notice.ts';
import { postJson, type Refusal } from '../../../ui/browser/lib/post-json.ts';
import { fill, messageOf, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const form = get('two-factor', HTMLFormElement);
const token = get('token', HTMLInputElement);
const label = get('token-label', HTMLLabelElement);
const hint = get('token-hint', HTMLElement);
const atOnce = find('at-once', HTMLElement);
const step = find('step', HTMLInputElement)?.value;
const submit = get('submit', HTMLButtonElement);
const recovery = get('recovery', HTMLButtonElement);
const notice = get('form-error', HTMLElement);
const trust = find('trust-device', HTMLInputElement);
let lastTried = '';
let triesLeft = Number(form.dataset.tries);

const aboutTheCode = ['SECOND_STEP_CODE_REQUIRED', 'SECOND_STEP_CODE_MALFORMED', 'SECOND_STEP_CODE_INCORRECT'];

/** Returns whether the field expects a code of the authenticator app, not a recovery code. */
const asksTheApp = (): boolean => token.inputMode === 'numeric';

/**
 * Goes to the login page, because the sign-in has ended. After too many wrong codes, the login page itself shows the
 * reason. If the time ran out, only this page knows the reason, so this page leaves a notice for the login page.
 */
function beginAgain(): void {
  if (triesLeft > 0) leaveNotice(messageOf('FIRST_STEP_REQUIRED'));
  setNotice(notice, texts.startOver);
  location.assign(form.dataset.begin ?? '/authsvc/login');
}

function showOutcome(outcome: Refusal): void {
  const isWrong = outcome.kind === 'refused' && outcome.code === 'SECOND_STEP_CODE_INCORRECT';
  if (isWrong) triesLeft -= 1;
  if (outcome.kind === 'refused' && (outcome.code === 'FIRST_STEP_REQUIRED' || triesLeft <= 0)) {
    beginAgain();
  } else if (outcome.kind === 'refused' && aboutTheCode.includes(outcome.code)) {
    setBusy(submit, undefined);
    find('token-error', HTMLElement)?.classList.toggle('is-pressing', triesLeft <= 2);
    const left = triesLeft === 1 ? texts.lastTry : fill(texts.triesLeft, { count: String(triesLeft) });
    const hint = isWrong && !asksTheApp() ? texts.recoveryCodeIncorrect : outcome.hint;
    refuseField(token, outcome.message, triesLeft > 2 ? '' : left, hint);
    removePastMessages();
  } else showRefusal(notice, submit, outcome);
}

function isRightShape(code: string): boolean {
  if (code === '') refuseField(token, messageOf('SECOND_STEP_CODE_REQUIRED'));
  else if (/^\d+$/.test(code) && !isAppCode(code) && asksTheApp())
    refuseField(token, messageOf('SECOND_STEP_CODE_MALFORMED'));
  else return true;
  return false;
}

async function verify(): Promise<void> {
  const code = cleanCode(token.value);
  clearMessages(form);
  if (!isRightShape(code)) return removePastMessages();
  lastTried = code;
  token.value = code;
  setBusy(submit, texts.verifying);
  const trusts = trust?.checked ?? false;
  const outcome = await postJson('/authsvc/api/verify-2fa', { step, token: code, trust_device: trusts });
  if (outcome.kind === 'done') {
    const { redirect_url: next } = outcome.body;
    location.assign(typeof next === 'string' ? next : '/authsvc/');
  } else showOutcome(outcome);
}

function askForRecoveryCode(wanted: boolean): void {
  token.inputMode = wanted ? 'text' : 'numeric';
  token.autocomplete = wanted ? 'off' : 'one-time-code';
  token.classList.toggle('code-long', wanted);
  label.textContent = wanted ? texts.recoveryCode : texts.code;
  recovery.textContent = wanted ? texts.useApp : texts.useRecovery;
  hint.textContent = wanted ? texts.recoveryCodeHint : texts.codeHint;
  if (atOnce) atOnce.hidden = wanted;
  token.value = '';
  clearMessages(form);
  removePastMessages();
  token.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy(submit)) void verify();
});
token.addEventListener('input', () => {
  clearFieldError(token);
  const code = cleanCode(token.value);
  if (isAppCode(code) && code !== lastTried && !isBusy(submit)) void verify();
});
recovery.addEventListener('click', () => askForRecoveryCode(asksTheApp()));
keepStep(step);
recovery.hidden = false;
