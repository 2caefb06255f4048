import { cleanCode, isAppCode } from '../../../ui/browser/lib/code.ts';
import { find, get } from '../../../ui/browser/lib/dom.ts';
import { isBusy, setAlert, setBusy, setFieldError, showRefusal } from '../../../ui/browser/lib/form.ts';
import { keepFresh } from '../../../ui/browser/lib/fresh.ts';
import { leaveNotice } from '../../../ui/browser/lib/notice.ts';
import { postJson, type Refusal } from '../../../ui/browser/lib/post-json.ts';
import { fill, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const form = get('two-factor', HTMLFormElement);
const token = get('token', HTMLInputElement);
const label = get('token-label', HTMLLabelElement);
const hint = get('token-hint', HTMLElement);
const appHint = hint.textContent;
const submit = get('submit', HTMLButtonElement);
const recovery = get('recovery', HTMLButtonElement);
const alert = get('form-error', HTMLElement);
const trust = find('trust-device', HTMLInputElement);
let lastTried = '';
let triesLeft = Number(form.dataset.tries);

const aboutTheCode = ['SECOND_STEP_CODE_REQUIRED', 'SECOND_STEP_CODE_MALFORMED', 'SECOND_STEP_CODE_INCORRECT'];

/** A code of the authenticator app is asked for, and not one that was kept for the case that it is lost. */
const asksTheApp = (): boolean => token.inputMode === 'numeric';

function refuse(message: string, ...hints: string[]): void {
  setFieldError(token, message, ...hints);
  token.focus();
  token.select();
}

/** The login page says itself when it was too many wrong codes; of the time only this page knows. */
function beginAgain(): void {
  if (triesLeft > 0) leaveNotice(texts.waitedTooLong);
  setAlert(alert, texts.startOver);
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
    const tries = triesLeft > 2 ? [] : [fill(texts.triesLeft, { count: String(triesLeft) })];
    refuse(outcome.message, ...tries, isWrong && !asksTheApp() ? texts.recoveryCodeIncorrect : outcome.hint);
  } else showRefusal(alert, submit, outcome);
}

function isRightShape(code: string): boolean {
  if (code === '') refuse(texts.codeRequired);
  else if (/^\d+$/.test(code) && !isAppCode(code) && asksTheApp()) refuse(texts.codeInvalid);
  else return true;
  return false;
}

async function verify(): Promise<void> {
  const code = cleanCode(token.value);
  setAlert(alert, undefined);
  setFieldError(token, undefined);
  if (!isRightShape(code)) return;
  lastTried = code;
  token.value = code;
  setBusy(submit, texts.verifying);
  const outcome = await postJson('/authsvc/api/verify-2fa', { token: code, trust_device: trust?.checked ?? false });
  if (outcome.kind === 'done') {
    const { redirect_url: next } = outcome.body;
    location.assign(typeof next === 'string' ? next : '/authsvc/');
  } else showOutcome(outcome);
}

function consumeRecoveryCode(wanted: boolean): void {
  token.inputMode = wanted ? 'text' : 'numeric';
  token.autocomplete = wanted ? 'off' : 'one-time-code';
  token.classList.toggle('code-long', wanted);
  label.textContent = wanted ? texts.recoveryCode : texts.code;
  recovery.textContent = wanted ? texts.useApp : texts.useRecovery;
  hint.textContent = wanted ? texts.recoveryCodeHint : appHint;
  token.value = '';
  setFieldError(token, undefined);
  token.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy(submit)) void verify();
});
token.addEventListener('input', () => {
  setFieldError(token, undefined);
  const code = cleanCode(token.value);
  // Whoever may still want to trust the device sends the form; everybody else is spared that.
  const isDecided = trust === undefined || trust.checked;
  if (isDecided && isAppCode(code) && code !== lastTried && !isBusy(submit)) void verify();
});
recovery.addEventListener('click', () => consumeRecoveryCode(asksTheApp()));
keepFresh();
recovery.hidden = false;
