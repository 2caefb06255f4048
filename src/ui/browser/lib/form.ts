import { announce } from './announce.ts';
import { countDown } from './countdown.ts';
import type { Refusal } from './post-json.ts';
import { fill, texts } from './texts.ts';

/** Shows on the button that its work is going on, and keeps it from being pressed again. */
export function setBusy(button: HTMLButtonElement, label: string | undefined): void {
  const text = button.querySelector('.button-label');
  button.classList.toggle('is-busy', label !== undefined);
  button.setAttribute('aria-disabled', String(label !== undefined));
  announce(label ?? '');
  if (!text) return;
  button.dataset.label ??= text.textContent ?? '';
  text.textContent = label ?? button.dataset.label;
}

/** Whether the button may not be pressed now: it is at work or waits. */
export function isBusy(button: HTMLButtonElement): boolean {
  return button.getAttribute('aria-disabled') === 'true';
}

function fillLines(place: HTMLElement, tag: 'p' | 'span', texts: string[]): void {
  const lines = texts.filter(Boolean).map((text) => {
    const line = document.createElement(tag);
    line.textContent = text;
    return line;
  });
  place.replaceChildren(...lines);
  place.hidden = lines.length === 0;
}

/** Shows a message beside a field, or takes it away. */
export function setFieldError(field: HTMLInputElement, message: string | undefined, ...hints: string[]): void {
  const place = document.getElementById(`${field.id}-error`);
  if (!place) return;
  fillLines(place, 'span', [message ?? '', ...hints]);
  field.setAttribute('aria-invalid', String(message !== undefined));
  const help = document.getElementById(`${field.id}-hint`);
  const ids = [message === undefined ? '' : place.id, help?.id ?? ''].filter(Boolean);
  if (ids.length === 0) field.removeAttribute('aria-describedby');
  else field.setAttribute('aria-describedby', ids.join(' '));
}

/** Shows a message above the form, or takes it away. */
export function setAlert(alert: HTMLElement, message: string | undefined, hint = ''): void {
  alert.classList.remove('is-calm');
  fillLines(alert, 'p', [message ?? '', hint]);
}

/** Counts down under the alert's message, holds the button until the end, then says that it may be tried again. */
function holdFor(seconds: number, alert: HTMLElement, button: HTMLButtonElement): void {
  const line = document.createElement('p');
  line.setAttribute('aria-live', 'off');
  alert.append(line);
  button.setAttribute('aria-disabled', 'true');
  countDown(seconds, (time) => {
    line.textContent = time === undefined ? '' : fill(texts.waitMessage, { time });
    if (time !== undefined) return;
    button.setAttribute('aria-disabled', 'false');
    setAlert(alert, texts.tryAgainNow);
    alert.classList.add('is-calm');
  });
}

/** Shows why nothing came of a request; when the service asks to wait, the button is held until then. */
export function showRefusal(alert: HTMLElement, button: HTMLButtonElement, refusal: Refusal): void {
  setBusy(button, undefined);
  if (refusal.kind === 'unreachable') {
    setAlert(alert, texts.unreachable);
  } else if (refusal.waitSeconds === undefined) {
    setAlert(alert, refusal.message, refusal.hint);
  } else {
    setAlert(alert, refusal.message);
    holdFor(refusal.waitSeconds, alert, button);
  }
}
