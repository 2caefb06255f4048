import { enableCopying } from './lib/copy.ts';
import { confirmIn } from './lib/dialog.ts';
import { get } from './lib/dom.ts';
import { isBusy, setAlert, setBusy, showRefusal } from './lib/form.ts';
import { keepFresh } from './lib/fresh.ts';
import { dropBrokenPictures } from './lib/pictures.ts';
import { isSignedOut, postJson } from './lib/post-json.ts';
import { texts } from './lib/texts.ts';

const form = get('logout', HTMLFormElement);
const submit = get('submit', HTMLButtonElement);
const dialog = get('logout-dialog', HTMLDialogElement);
const alert = get('form-error', HTMLElement);

async function logOut(): Promise<void> {
  if (!(await confirmIn(dialog))) return;
  setAlert(alert, undefined);
  setBusy(submit, texts.working);
  const outcome = await postJson('/authsvc/api/logout', {});
  if (outcome.kind === 'done' || isSignedOut(outcome)) location.assign('/authsvc/login');
  else showRefusal(alert, submit, outcome);
}

function localiseTimes(): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time')) {
    const instant = new Date(time.dateTime);
    if (!Number.isNaN(instant.getTime())) time.textContent = format.format(instant);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy(submit)) void logOut();
});
localiseTimes();
enableCopying();
dropBrokenPictures();
keepFresh();
