import { announce } from './announce.ts';
import { countDown } from './countdown.ts';
import type { Refusal } from './post-json.ts';
import { fill, texts } from './texts.ts';

/** Disables a button while its request runs, and shows `label` on it. Without a label, enables the button again. */
export function setBusy(button: HTMLButtonElement, label: string | undefined): void {
  const text = button.querySelector('.button-label');
  button.classList.toggle('is-busy', label !== undefined);
  button.setAttribute('aria-disabled', String(label !== undefined));
  announce(label ?? '');
  if (!text) return;
  button.dataset.label ??= text.textContent ?? '';
  text.textContent = label ?? button.dataset.label;
}

/** Returns whether a button is disabled, because its request runs or the person must wait. */
export function isBusy(button: HTMLButtonElement): boolean {
  return button.getAttribute('aria-disabled') === 'true';
}

function fillLines(place: HTMLElement, tag: 'p' | 'span', lines: readonly string[]): void {
  const elements = lines.filter(Boolean).map((text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  });
  place.replaceChildren(...elements);
  place.classList.remove('is-past');
  place.hidden = elements.length === 0;
}

/** A form field that can have a message below it. */
type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function describe(field: Field, error: HTMLElement | undefined): void {
  field.setAttribute('aria-invalid', String(error !== undefined));
  const ids = [error?.id, document.getElementById(`${field.id}-hint`)?.id].filter(Boolean);
  if (ids.length === 0) field.removeAttribute('aria-describedby');
  else field.setAttribute('aria-describedby', ids.join(' '));
}

/** Shows a message below a field. */
export function setFieldError(field: Field, message: string, ...hints: string[]): void {
  const place = document.getElementById(`${field.id}-error`);
  if (!place) return;
  fillLines(place, 'span', [message, ...hints]);
  describe(field, place);
}

/** Shows a message below a field, and selects its text so that the person can type it again. */
export function refuseField(field: HTMLInputElement, message: string, ...hints: string[]): void {
  setFieldError(field, message, ...hints);
  field.focus();
  field.select();
}

/** Hides a field's message. The message keeps its space until the next reply, so that nothing moves in the meantime. */
export function clearFieldError(field: Field): void {
  document.getElementById(`${field.id}-error`)?.classList.add('is-past');
  describe(field, undefined);
}

/** Shows a message that does not concern a single field. */
export function setNotice(notice: HTMLElement, message: string, hint = ''): void {
  notice.classList.remove('is-calm');
  fillLines(notice, 'p', [message, hint]);
}

/** Selects the notices that show replies to a form. Other notices belong to the page and stay. */
const ANSWERS = '.notice[role="alert"]';

/** Finds the notice of a form. It shows messages that do not concern a single field. */
export const findNotice = (form: Element): HTMLElement | undefined =>
  form.querySelector<HTMLElement>(ANSWERS) ?? undefined;

/** Hides the messages of a form. They keep their space until the next reply, so that nothing moves in the meantime. */
export function clearMessages(form: Element): void {
  for (const field of form.querySelectorAll<Field>('[aria-invalid="true"]')) clearFieldError(field);
  for (const notice of form.querySelectorAll(ANSWERS)) notice.classList.add('is-past');
}

/** Removes the space of hidden messages. */
export function removePastMessages(): void {
  for (const message of document.querySelectorAll<HTMLElement>('.is-past')) message.hidden = true;
}

/**
 * Disables a button for some seconds and shows a countdown in the notice. At the end it says that the person can try
 * again.
 */
function holdFor(seconds: number, notice: HTMLElement, button: HTMLButtonElement): void {
  const line = document.createElement('p');
  line.setAttribute('aria-live', 'off');
  notice.append(line);
  button.setAttribute('aria-disabled', 'true');
  countDown(seconds, (time) => {
    line.textContent = time === undefined ? '' : fill(texts.waitMessage, { time });
    if (time !== undefined) return;
    button.setAttribute('aria-disabled', 'false');
    setNotice(notice, texts.tryAgainNow);
    notice.classList.add('is-calm');
  });
}

/** Shows why a request had no effect. If the service asks to wait, the button is disabled for that time. */
export function showRefusal(notice: HTMLElement, button: HTMLButtonElement, refusal: Refusal): void {
  setBusy(button, undefined);
  if (refusal.kind === 'unreachable') {
    setNotice(notice, texts.unreachable);
  } else if (refusal.waitSeconds === undefined) {
    setNotice(notice, refusal.message, refusal.hint);
  } else {
    setNotice(notice, refusal.message);
    holdFor(refusal.waitSeconds, notice, button);
  }
  removePastMessages();
}
