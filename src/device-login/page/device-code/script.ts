import { toHyphens } from '../../../lib/dashes.ts';
import { get } from '../../../ui/browser/lib/dom.ts';
import { clearFieldError, setBusy, setFieldError } from '../../../ui/browser/lib/form.ts';
import { messageOf, texts } from '../../../ui/browser/lib/texts.ts';

const form = get('device-code', HTMLFormElement);
const field = get('user-code', HTMLInputElement);
const submit = get('submit', HTMLButtonElement);

function refuse(message: string): void {
  setFieldError(field, message);
  field.focus();
  field.select();
}

if (field.getAttribute('aria-invalid') === 'true') field.select();
form.addEventListener('submit', (event) => {
  const letters = toHyphens(field.value).replace(/[\s-]/g, '');
  const message = messageOf(letters === '' ? 'SECOND_STEP_CODE_REQUIRED' : 'USER_CODE_INVALID');
  if (/^[a-z0-9]{8}$/i.test(letters)) return setBusy(submit, texts.working);
  event.preventDefault();
  refuse(message);
});
field.addEventListener('input', () => clearFieldError(field));
