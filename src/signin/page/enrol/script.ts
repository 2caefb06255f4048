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
import { saveText } from '../../../ui/browser/lib/save-text.ts';
import { messageOf, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const form = get('enrol', HTMLFormElement);
const token = get('token', HTMLInputElement);
const submit = get('submit', HTMLButtonElement);
const notice = get('form-error', HTMLElement);
const codes = get('recovery-codes', HTMLElement);
const trust = find('trust-device', HTMLInputElement);
const step = find('step', HTMLInputElement)?.value;
let lastTried = '';

const aboutTheCode = ['SECOND_STEP_CODE_REQUIRED', 'SECOND_STEP_CODE_MALFORMED', 'SECOND_STEP_CODE_INCORRECT'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function refuse(message: string, ...hints: string[]): void {
  refuseField(token, message, ...hints);
  removePastMessages();
}

function showOutcome(outcome: Refusal): void {
  if (outcome.kind === 'refused' && ['FIRST_STEP_REQUIRED', 'TOTP_NOT_STARTED'].includes(outcome.code)) {
    leaveNotice(messageOf('FIRST_STEP_REQUIRED'));
    setNotice(notice, texts.startOver);
    location.assign(form.dataset.begin ?? '/authsvc/login');
  } else if (outcome.kind === 'refused' && aboutTheCode.includes(outcome.code)) {
    setBusy(submit, undefined);
    refuse(outcome.message, outcome.hint);
  } else showRefusal(notice, submit, outcome);
}

async function draft(): Promise<void> {
  setBusy(submit, texts.preparing);
  const outcome = await postJson('/authsvc/api/2fa/enrol', { step });
  if (outcome.kind !== 'done') return showOutcome(outcome);
  setBusy(submit, undefined);
  const picture = get('qr-code', HTMLImageElement);
  picture.src = `data:image/svg+xml,${encodeURIComponent(textOf(outcome.body.qr_svg))}`;
  picture.hidden = false;
  get('key', HTMLElement).textContent = textOf(outcome.body.secret);
  token.focus();
}

function showCodes(list: unknown, next: string): void {
  codes.textContent = Array.isArray(list) ? list.join('\n') : '';
  get('go-on', HTMLAnchorElement).href = next || '/authsvc/';
  get('setup', HTMLElement).hidden = true;
  get('done', HTMLElement).hidden = false;
  get('done-heading', HTMLElement).focus();
}

async function verify(): Promise<void> {
  const code = cleanCode(token.value);
  clearMessages(form);
  if (!isAppCode(code))
    return refuse(messageOf(code === '' ? 'SECOND_STEP_CODE_REQUIRED' : 'SECOND_STEP_CODE_MALFORMED'));
  lastTried = code;
  token.value = code;
  setBusy(submit, texts.verifying);
  const trusts = trust?.checked ?? false;
  const outcome = await postJson('/authsvc/api/verify-2fa', { step, token: code, trust_device: trusts });
  if (outcome.kind === 'done') showCodes(outcome.body.recovery_codes, textOf(outcome.body.redirect_url));
  else showOutcome(outcome);
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
get('save-codes', HTMLButtonElement).addEventListener('click', () =>
  saveText(texts.fileName, `${codes.textContent}\n`),
);
get('print-codes', HTMLButtonElement).addEventListener('click', () => print());
if (keepStep(step) && get('qr-code', HTMLImageElement).hidden) void draft();
