import { enableCopying } from '../../../ui/browser/lib/copy.ts';
import { confirmIn } from '../../../ui/browser/lib/dialog.ts';
import { get } from '../../../ui/browser/lib/dom.ts';
import { isBusy, setAlert, setBusy, showRefusal } from '../../../ui/browser/lib/form.ts';
import { keepFresh } from '../../../ui/browser/lib/fresh.ts';
import { leaveNotice } from '../../../ui/browser/lib/notice.ts';
import { dropBrokenPictures } from '../../../ui/browser/lib/pictures.ts';
import { isSignedOut, postJson } from '../../../ui/browser/lib/post-json.ts';
import { addSoftBreaks } from '../../../ui/browser/lib/soft-breaks.ts';
import { fill, texts } from '../../../ui/browser/lib/texts.ts';
import { localiseTimes } from '../../../ui/browser/lib/times.ts';

const form = get('logout', HTMLFormElement);
const submit = get('submit', HTMLButtonElement);
const dialog = get('logout-dialog', HTMLDialogElement);
const alert = get('form-error', HTMLElement);

async function logOut(): Promise<void> {
  if (!(await confirmIn(dialog))) return;
  setAlert(alert, undefined);
  setBusy(submit, texts.working);
  const outcome = await postJson('/authsvc/api/logout', {});
  if (outcome.kind !== 'done' && !isSignedOut(outcome)) return showRefusal(alert, submit, outcome);
  leaveNotice(fill(texts.loggedOut, { name: form.dataset.username ?? '' }));
  location.assign('/authsvc/login');
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy(submit)) void logOut();
});
localiseTimes();
addSoftBreaks();
enableCopying();
dropBrokenPictures();
keepFresh();
