import { enableCopying } from './lib/copy.ts';
import { confirmIn } from './lib/dialog.ts';
import { get } from './lib/dom.ts';
import { isBusy, setAlert, setBusy, showRefusal } from './lib/form.ts';
import { keepFresh } from './lib/fresh.ts';
import { leaveNotice } from './lib/notice.ts';
import { dropBrokenPictures } from './lib/pictures.ts';
import { isSignedOut, postJson } from './lib/post-json.ts';
import { addSoftBreaks } from './lib/soft-breaks.ts';
import { fill, texts } from './lib/texts.ts';
import { localiseTimes } from './lib/times.ts';

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
