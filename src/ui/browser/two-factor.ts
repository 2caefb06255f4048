import { cleanCode, isAppCode } from './lib/code.ts';
import { find, get } from './lib/dom.ts';
import { isBusy, setAlert, setBusy, setFieldError, showRefusal } from './lib/form.ts';
import { postJson } from './lib/post-json.ts';
import { texts } from './lib/texts.ts';

const form = get('two-factor', HTMLFormElement);
const token = get('token', HTMLInputElement);
const label = get('token-label', HTMLLabelElement);
const submit = get('submit', HTMLButtonElement);
const recovery = get('recovery', HTMLButtonElement);
const alert = get('form-error', HTMLElement);
const trust = find('trust-device', HTMLInputElement);
let lastTried = '';

function refuse(message: string): void {
  setFieldError(token, message);
  token.focus();
  token.select();
}

async function verify(): Promise<void> {
  const code = cleanCode(token.value);
  setAlert(alert, undefined);
  setFieldError(token, undefined);
  if (code === '') return refuse(texts.codeRequired);
  if (token.inputMode === 'numeric' && !isAppCode(code) && /^\d*$/.test(code)) return refuse(texts.codeInvalid);
  lastTried = code;
  setBusy(submit, texts.verifying);
  const outcome = await postJson('/authsvc/api/verify-2fa', { token: code, trust_device: trust?.checked ?? false });
  if (outcome.kind === 'done') {
    const { redirect_url: next } = outcome.body;
    return location.assign(typeof next === 'string' ? next : '/authsvc/');
  }
  if (outcome.kind === 'refused' && outcome.status === 401 && outcome.code !== 'TWO_FACTOR_CODE_INVALID') {
    setAlert(alert, texts.startOver);
    return location.assign('/authsvc/login');
  }
  if (outcome.kind === 'refused' && (outcome.status === 400 || outcome.status === 401)) {
    setBusy(submit, undefined);
    return refuse(outcome.message);
  }
  showRefusal(alert, submit, outcome);
}

function useRecoveryCode(wanted: boolean): void {
  token.inputMode = wanted ? 'text' : 'numeric';
  token.autocomplete = wanted ? 'off' : 'one-time-code';
  token.classList.toggle('code-long', wanted);
  label.textContent = wanted ? texts.recoveryCode : texts.code;
  recovery.textContent = wanted ? texts.useApp : texts.useRecovery;
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
  if (isAppCode(code) && code !== lastTried && !isBusy(submit)) void verify();
});
recovery.addEventListener('click', () => useRecoveryCode(token.inputMode === 'numeric'));
addEventListener('pageshow', (event) => {
  if (event.persisted) setBusy(submit, undefined);
});
recovery.hidden = false;
