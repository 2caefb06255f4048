import { confirmIn } from '../../../ui/browser/lib/dialog.ts';
import { get } from '../../../ui/browser/lib/dom.ts';
import { clearMessages, isBusy, setBusy, showRefusal } from '../../../ui/browser/lib/form.ts';
import { leaveNotice } from '../../../ui/browser/lib/notice.ts';
import { isSignedOut, postJson } from '../../../ui/browser/lib/post-json.ts';
import { fill, texts } from '../../../ui/browser/lib/texts.ts';

const form = get('logout', HTMLFormElement);
const submit = get('submit', HTMLButtonElement);
const dialog = get('logout-dialog', HTMLDialogElement);
const notice = get('form-error', HTMLElement);

async function logOut(): Promise<void> {
  if (!(await confirmIn(dialog))) return;
  clearMessages(form);
  setBusy(submit, texts.working);
  const outcome = await postJson('/authsvc/api/logout', {});
  if (outcome.kind !== 'done' && !isSignedOut(outcome)) return showRefusal(notice, submit, outcome);
  leaveNotice(fill(texts.loggedOut, { name: form.dataset.username ?? '' }));
  location.assign('/authsvc/login');
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy(submit)) void logOut();
});
