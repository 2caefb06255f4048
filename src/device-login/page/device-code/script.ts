import { toHyphens } from '../../../lib/dashes.ts';
import { get } from '../../../ui/browser/lib/dom.ts';
import { clearFieldError, refuseField, setBusy } from '../../../ui/browser/lib/form.ts';
import { messageOf, texts } from '../../../ui/browser/lib/texts.ts';

const form = get('device-code', HTMLFormElement);
const field = get('user-code', HTMLInputElement);
const submit = get('submit', HTMLButtonElement);

if (field.getAttribute('aria-invalid') === 'true') field.select();
form.addEventListener('submit', (event) => {
  const letters = toHyphens(field.value).replace(/[\s-]/g, '');
  const message = messageOf(letters === '' ? 'SECOND_STEP_CODE_REQUIRED' : 'USER_CODE_INVALID');
  if (/^[a-z0-9]{8}$/i.test(letters)) return setBusy(submit, texts.working);
  event.preventDefault();
  refuseField(field, message);
});
field.addEventListener('input', () => clearFieldError(field));
