import { confirmIn } from './dialog.ts';
import { find, get } from './dom.ts';
import {
  clearFieldError,
  clearMessages,
  isBusy,
  refuseField,
  removePastMessages,
  setBusy,
  setFieldError,
  setNotice,
  showRefusal,
} from './form.ts';
import { askForPasskey, hasPasskeys } from './passkey.ts';
import { isSignedOut, type Method, type Outcome, type Refusal, sendJson } from './post-json.ts';
import { messageOf, texts } from './texts.ts';

/** The outcome of a change. It is `cancelled` if the person closed the dialog that asked for a confirmation. */
export type ChangeOutcome = Outcome | { kind: 'cancelled' };

interface Asking {
  dialog: HTMLDialogElement;
  notice: HTMLElement;
  submit: HTMLButtonElement;
  /** The field for the password or code of the chosen method; undefined if the method needs no typing. */
  field: HTMLInputElement | undefined;
}

const CONFIRM_PATH = '/authsvc/api/account/confirm';

function refuse({ notice, field }: Asking, pressed: HTMLButtonElement, refusal: Refusal): void {
  if (isSignedOut(refusal)) {
    location.reload();
    return;
  }
  if (!field || refusal.kind !== 'refused' || refusal.code !== 'CONFIRMATION_FAILED') {
    showRefusal(notice, pressed, refusal);
    return;
  }
  setBusy(pressed, undefined);
  refuseField(field, refusal.message, refusal.hint);
  removePastMessages();
}

async function prove(asking: Asking, pressed: HTMLButtonElement, proof: Record<string, unknown>): Promise<void> {
  const outcome = await sendJson('POST', CONFIRM_PATH, proof);
  if (outcome.kind !== 'done') return refuse(asking, pressed, outcome);
  setBusy(pressed, undefined);
  asking.dialog.close('confirm');
}

async function proveByField(asking: Asking): Promise<void> {
  const { dialog, submit, field } = asking;
  clearMessages(dialog);
  // A person who confirms by signing in again on another page types nothing here.
  if (!field) return dialog.close('confirm');
  if (field.value.trim() === '') {
    setFieldError(field, messageOf('MISSING_REQUIRED_FIELD'));
    field.focus();
    return removePastMessages();
  }
  setBusy(submit, texts.working);
  await prove(asking, submit, { [field.name]: field.value });
}

async function proveByPasskey(asking: Asking, pressed: HTMLButtonElement): Promise<void> {
  const { dialog, notice } = asking;
  clearMessages(dialog);
  setBusy(pressed, texts.passkeyWaiting);
  const offer = await sendJson('POST', `${CONFIRM_PATH}/options`, {});
  if (offer.kind !== 'done') return refuse(asking, pressed, offer);
  const asked = await askForPasskey(offer.body.options, 'dialog');
  if (asked.kind === 'answered') return prove(asking, pressed, { response: asked.response });
  setBusy(pressed, undefined);
  setNotice(notice, asked.kind === 'failed' ? texts.passkeyFailed : texts.passkeyCancelled);
  removePastMessages();
}

/**
 * Shows the methods with which the person can confirm, and hides all others. Returns the field to type into, if there is
 * one.
 */
function showWays(dialog: HTMLDialogElement, ways: readonly string[]): HTMLInputElement | undefined {
  const usable = ways.filter((way) => way !== 'passkey' || hasPasskeys());
  for (const place of dialog.querySelectorAll<HTMLElement>('[data-way]')) {
    const way = place.dataset.way ?? '';
    place.hidden = !(way === 'none' ? usable.length === 0 : usable.includes(way));
  }
  const others = usable.filter((way) => way !== 'passkey');
  get('confirmation-or', HTMLElement).hidden = others.length === usable.length || others.length === 0;
  get('confirmation-submit', HTMLButtonElement).hidden = others.length === 0;
  const fields = ['confirmation-password', 'confirmation-token'].map((id) => get(id, HTMLInputElement));
  for (const field of fields) {
    field.value = '';
    clearFieldError(field);
  }
  return fields.find((field) => !field.closest<HTMLElement>('[data-way]')?.hidden);
}

/**
 * Asks the person to confirm who they are, in the dialog of the page (part `confirmation`).
 *
 * @param ways the confirmation methods as the service lists them
 * @returns whether the session is confirmed now; false if the person closed the dialog
 */
export async function confirmInPlace(ways: readonly string[]): Promise<boolean> {
  const dialog = get('confirmation', HTMLDialogElement);
  const form = get('confirmation-form', HTMLFormElement);
  const notice = get('confirmation-error', HTMLElement);
  const submit = get('confirmation-submit', HTMLButtonElement);
  const passkey = find('confirmation-passkey', HTMLButtonElement);
  const asking: Asking = { dialog, notice, submit, field: showWays(dialog, ways) };
  const closed = new AbortController();
  const { signal } = closed;
  const isFree = () => !isBusy(submit) && !(passkey && isBusy(passkey));
  notice.hidden = true;
  removePastMessages();
  form.addEventListener(
    'submit',
    (event) => {
      event.preventDefault();
      if (isFree()) void proveByField(asking);
    },
    { signal },
  );
  passkey?.addEventListener('click', () => void (isFree() && proveByPasskey(asking, passkey)), { signal });
  get('confirmation-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close('cancel'), { signal });
  const isConfirmed = await confirmIn(dialog);
  closed.abort();
  if (asking.field) asking.field.value = '';
  return isConfirmed;
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/**
 * Sends a change as JSON. If the service requires a confirmation, asks for it in a dialog and sends the change again.
 *
 * @returns `cancelled` if the person closed the dialog; then nothing has changed
 */
export async function sendChange(
  method: Method,
  path: string,
  fields: Record<string, unknown>,
): Promise<ChangeOutcome> {
  for (;;) {
    const outcome = await sendJson(method, path, fields);
    if (outcome.kind !== 'refused' || outcome.code !== 'CONFIRMATION_REQUIRED') return outcome;
    if (!(await confirmInPlace(textsIn(outcome.body.ways)))) return { kind: 'cancelled' };
  }
}
