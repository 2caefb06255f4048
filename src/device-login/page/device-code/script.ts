import { toHyphens } from '../../../lib/dashes.ts';
import { get } from '../../../ui/browser/lib/dom.ts';
import { setBusy, setFieldError } from '../../../ui/browser/lib/form.ts';
import { texts } from '../../../ui/browser/lib/texts.ts';

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
  const message = letters === '' ? texts.codeRequired : texts.codeInvalid;
  if (/^[a-z0-9]{8}$/i.test(letters)) return setBusy(submit, texts.working);
  event.preventDefault();
  refuse(message);
});
field.addEventListener('input', () => setFieldError(field, undefined));
addEventListener('pageshow', (event) => {
  if (event.persisted) setBusy(submit, undefined);
});
