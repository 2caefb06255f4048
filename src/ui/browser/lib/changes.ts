import { sendChange } from './confirmation.ts';
import { confirmIn } from './dialog.ts';
import { find, get } from './dom.ts';
import {
  clearMessages,
  findNotice,
  isBusy,
  removePastMessages,
  setBusy,
  setFieldError,
  setNotice,
  showRefusal,
} from './form.ts';
import { leaveNotice, showNotice } from './notice.ts';
import { isSignedOut, type Method, type Refusal } from './post-json.ts';
import { fill, messageOf, texts } from './texts.ts';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Values = Record<string, unknown>;

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parseRecord = (text: string | undefined): Values => {
  const value: unknown = JSON.parse(text || '{}');
  return isRecord(value) ? value : {};
};

const fieldsOf = (form: HTMLFormElement): Field[] =>
  [...form.elements].filter(
    (field): field is Field =>
      (field instanceof HTMLInputElement ||
        field instanceof HTMLSelectElement ||
        field instanceof HTMLTextAreaElement) &&
      field.name !== '',
  );

/** Returns whether the person has changed the initial value of a field. */
function isChanged(field: Field): boolean {
  if (field instanceof HTMLSelectElement)
    return [...field.options].some((option) => option.selected !== option.defaultSelected);
  if (field instanceof HTMLInputElement && field.type === 'checkbox') return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

function valueIn(field: Field): unknown {
  if (field instanceof HTMLInputElement && field.type === 'checkbox') return field.checked;
  const text = field.value.trim();
  switch (field.dataset.kind) {
    case 'lines':
      return text.split('\n').flatMap((line) => line.trim() || []);
    case 'number':
      return text === '' ? undefined : Number(text);
    case 'text-or-none':
      return text === '' ? null : text;
    default:
      return field.value;
  }
}

/**
 * Returns the request of a form. Its body has the fixed values of the form, the required fields, and the fields that the
 * person has changed.
 */
function requestOf(form: HTMLFormElement) {
  const { change = '', body, version } = form.dataset;
  const [word, path = ''] = change.split(' ');
  const method: Method = word === 'PATCH' || word === 'DELETE' ? word : 'POST';
  const fields = fieldsOf(form).filter((field) => field.required || isChanged(field));
  const values = { ...parseRecord(body), ...Object.fromEntries(fields.map((field) => [field.name, valueIn(field)])) };
  if (version === undefined) return { method, path, values };
  if (method === 'DELETE') return { method, path: `${path}?version=${version}`, values };
  return { method, path, values: { ...values, version: Number(version) } };
}

/** Returns the fields of a reply, and of the records in it, as texts that can be inserted into the sentences of a form. */
function wordsOf(body: Values): Record<string, string> {
  const all = [body, ...Object.values(body).filter(isRecord)].flatMap((part) => Object.entries(part));
  return Object.fromEntries(
    all.filter(([, value]) => value !== null && !isRecord(value)).map(([name, value]) => [name, String(value)]),
  );
}

/** Formats a value of a record for people. */
function spell(value: unknown, { yes = '', no = '' }: DOMStringMap): string {
  if (typeof value === 'boolean') return value ? yes : no;
  return (Array.isArray(value) ? value.join(', ') : String(value ?? '')) || '–';
}

/** Lists the differences between the record that the page shows and the current record of the service. */
function differencesOf(record: HTMLElement, current: Values): string[] {
  const seen = parseRecord(record.dataset.record);
  return Object.entries(parseRecord(record.dataset.labels)).flatMap(([name, label]) =>
    JSON.stringify(seen[name]) === JSON.stringify(current[name])
      ? []
      : [`${label}: ${spell(seen[name], record.dataset)} →\u00a0${spell(current[name], record.dataset)}`],
  );
}

function showConflict(refusal: Refusal & { kind: 'refused' }): void {
  const record = get('record', HTMLElement);
  const differences = differencesOf(record, isRecord(refusal.body.current) ? refusal.body.current : {});
  const list = get('conflict-list', HTMLElement);
  const lines = differences.length > 0 ? differences : [record.dataset.otherwise ?? ''];
  list.replaceChildren(
    ...lines.map((text) => {
      const line = document.createElement('li');
      line.textContent = text;
      return line;
    }),
  );
  const conflict = get('conflict', HTMLElement);
  conflict.hidden = false;
  conflict.focus();
}

const GENERAL_CODES: readonly string[] = ['FIELD_INVALID', 'MISSING_REQUIRED_FIELD'];

/**
 * Shows below a field why it was refused. If the error is too general to help, it shows the rule of the field
 * (`data-rule`).
 */
function showFieldError(
  field: Field,
  { code, message, hint = '' }: { code: string; message: string; hint?: string },
): void {
  const { rule } = field.dataset;
  if (rule !== undefined && GENERAL_CODES.includes(code)) setFieldError(field, rule);
  else setFieldError(field, message, hint);
  field.focus();
  removePastMessages();
}

/** Returns whether a field has a place for a message below it. A checkbox has none. */
const hasErrorPlace = ({ id }: Field): boolean => document.getElementById(`${id}-error`) !== null;

/** Shows why a change was refused: below its field, in its form, or at the top of the page. */
function refuse(form: HTMLFormElement, button: HTMLButtonElement, refusal: Refusal): void {
  setBusy(button, undefined);
  const reason = refusal.kind === 'refused' ? refusal : undefined;
  const field = fieldsOf(form).find(({ name }) => name === reason?.body.field);
  if (isSignedOut(refusal)) {
    location.reload();
  } else if (reason?.code === 'CHANGED_MEANWHILE') {
    showConflict(reason);
  } else if (reason && field && hasErrorPlace(field)) {
    showFieldError(field, reason);
  } else {
    const notice = findNotice(form) ?? get('problem', HTMLElement);
    const rule = field?.dataset.rule;
    showRefusal(notice, button, reason && rule ? { ...reason, message: rule, hint: '' } : refusal);
    notice.scrollIntoView({ block: 'nearest' });
  }
}

/**
 * Returns whether the form asks the person before it is sent. Some forms always ask; a form with `data-asks-for` asks
 * only if the person has changed that field.
 */
function asksFirst(form: HTMLFormElement): boolean {
  const { question, asksFor } = form.dataset;
  if (question === undefined || asksFor === undefined) return question !== undefined;
  return fieldsOf(form).some((field) => field.name === asksFor && isChanged(field));
}

/** Asks the person in a dialog, with the question of the form, and returns whether to send the form. */
async function isMeant(form: HTMLFormElement): Promise<boolean> {
  const { dataset } = form;
  if (dataset.question === undefined || !asksFirst(form)) return true;
  const id = dataset.final === undefined ? 'ask-dialog' : 'final-dialog';
  const dialog = get(id, HTMLDialogElement);
  get(`${id}-title`, HTMLElement).textContent = dataset.question;
  get(`${id}-text`, HTMLElement).textContent = dataset.explained ?? '';
  const button = dialog.querySelector('button[value="confirm"]');
  if (button) button.textContent = dataset.confirm ?? '';
  return confirmIn(dialog);
}

/** Shows a value that the service returns only once, until the person closes the dialog. */
async function showOnce({ dataset }: HTMLFormElement, words: Record<string, string>): Promise<void> {
  const value = words[dataset.once ?? ''];
  if (value === undefined) return;
  get('once-dialog-text', HTMLElement).textContent = dataset.onceText ?? '';
  get('once-value', HTMLElement).textContent = value;
  const dialog = get('once-dialog', HTMLDialogElement);
  dialog.showModal();
  await new Promise((close) => {
    // Escape must not close the dialog, because the value cannot be shown again.
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    dialog.addEventListener('close', close, { once: true });
  });
  get('once-value', HTMLElement).textContent = '';
}

/**
 * Returns why the service could not do what the form requests although the request itself succeeded. The field of the
 * reply that `data-failed-by` names contains a reason, and `data-failures` has the sentence for each reason.
 */
function failureOf({ dataset }: HTMLFormElement, words: Record<string, string>): string | undefined {
  const failure = words[dataset.failedBy ?? ''];
  if (failure === undefined) return undefined;
  const { [failure]: sentence = failure } = wordsOf(parseRecord(dataset.failures));
  return fill(sentence, words);
}

/**
 * After a successful change, shows a value that the service returns only once. Then opens the next page, which says what
 * has happened.
 */
async function goOn(form: HTMLFormElement, body: Values): Promise<void> {
  const { next, leadsTo, once, doneUnseen } = form.dataset;
  const words = wordsOf(body);
  const failure = failureOf(form, words);
  if (failure !== undefined) {
    const notice = get('problem', HTMLElement);
    setNotice(notice, failure);
    notice.scrollIntoView({ block: 'nearest' });
    return;
  }
  const done = once !== undefined && words[once] === undefined && doneUnseen ? doneUnseen : form.dataset.done;
  await showOnce(form, words);
  if (leadsTo !== undefined && asksFirst(form)) {
    location.assign(leadsTo);
    return;
  }
  if (done) leaveNotice(fill(done, words));
  if (next === undefined) location.reload();
  else location.assign(next.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(words[name] ?? '')));
}

async function carryOut(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  clearMessages(form);
  const missing = fieldsOf(form).find((field) => field.required && field.value.trim() === '');
  if (missing) {
    showFieldError(missing, { code: 'MISSING_REQUIRED_FIELD', message: messageOf('MISSING_REQUIRED_FIELD') });
    return;
  }
  if (!(await isMeant(form))) return;
  setBusy(button, texts.working);
  const { method, path, values } = requestOf(form);
  const outcome = await sendChange(method, path, values);
  if (outcome.kind === 'refused' || outcome.kind === 'unreachable') {
    refuse(form, button, outcome);
    return;
  }
  setBusy(button, undefined);
  if (outcome.kind === 'done') await goOn(form, outcome.body);
}

/**
 * Sends every form of the page that has `data-change` as JSON. It first asks the question in `data-question`, if there is
 * one, and afterwards shows the sentence in `data-done`.
 *
 * The page must include the parts `changes` and `confirmation`.
 */
export function enableChanges(): void {
  showNotice(get('done', HTMLElement));
  for (const part of document.querySelectorAll<HTMLElement>('[data-needs-script]')) part.hidden = false;
  find('conflict-reload', HTMLButtonElement)?.addEventListener('click', () => location.reload());
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.change === undefined) return;
    event.preventDefault();
    const button = event.submitter ?? form.querySelector('button');
    if (button instanceof HTMLButtonElement && !isBusy(button)) void carryOut(form, button);
  });
}
