import { texts } from './texts.ts';

const revealButtons = (): HTMLButtonElement[] => [
  ...document.querySelectorAll<HTMLButtonElement>('button[data-reveal]'),
];

function fieldOf(button: HTMLButtonElement): HTMLInputElement | undefined {
  const field = document.getElementById(button.dataset.reveal ?? '');
  return field instanceof HTMLInputElement ? field : undefined;
}

function setRevealed(button: HTMLButtonElement, field: HTMLInputElement, isRevealed: boolean): void {
  field.type = isRevealed ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(isRevealed));
  button.setAttribute('aria-label', isRevealed ? texts.hidePassword : texts.showPassword);
}

/** Hides every revealed password of the page, before the form is sent. */
export function hidePasswords(): void {
  for (const button of revealButtons()) {
    const field = fieldOf(button);
    if (field) setRevealed(button, field, false);
  }
}

function watchCapsLock(field: HTMLInputElement): void {
  const note = document.querySelector(`[data-caps-lock="${field.id}"]`);
  if (!note) return;
  const show = (event: KeyboardEvent) => {
    note.textContent = event.getModifierState?.('CapsLock') ? texts.capsLock : '';
  };
  field.addEventListener('keydown', show);
  field.addEventListener('keyup', show);
  field.addEventListener('blur', () => {
    note.textContent = '';
  });
}

/** Enables the password fields of the page: the button that reveals the password, and the warning about Caps Lock. */
export function enablePasswordFields(): void {
  for (const button of revealButtons()) {
    const field = fieldOf(button);
    if (!field) continue;
    button.hidden = false;
    button.addEventListener('click', () => setRevealed(button, field, field.type === 'password'));
    watchCapsLock(field);
  }
}
