import { confirmIn } from './lib/dialog.ts';
import { find, get } from './lib/dom.ts';
import { isBusy, setAlert, setBusy, showRefusal } from './lib/form.ts';
import { postJson } from './lib/post-json.ts';
import { texts } from './lib/texts.ts';

const list = get('accounts', HTMLElement);
const alert = get('form-error', HTMLElement);

async function act(button: HTMLButtonElement, path: string, fields: Record<string, unknown>, next: string) {
  setAlert(alert, undefined);
  setBusy(button, texts.working);
  const outcome = await postJson(path, fields);
  if (outcome.kind !== 'done') return showRefusal(alert, button, outcome);
  const { redirect } = outcome.body;
  location.assign(typeof redirect === 'string' ? redirect : next);
}

function onPress(button: HTMLButtonElement | undefined, press: (button: HTMLButtonElement) => Promise<void>): void {
  button?.addEventListener('click', () => {
    if (!isBusy(button)) void press(button);
  });
}

for (const button of list.querySelectorAll<HTMLButtonElement>('button[data-switch]')) {
  onPress(button, () =>
    act(
      button,
      '/authsvc/api/switch-session',
      { session_id: button.dataset.switch, redirect: list.dataset.redirect },
      list.dataset.redirect ?? '/authsvc/',
    ),
  );
}
onPress(find('logout', HTMLButtonElement), async (button) => {
  if (await confirmIn(get('logout-dialog', HTMLDialogElement)))
    await act(button, '/authsvc/api/logout', {}, '/authsvc/accounts');
});
onPress(find('logout-all', HTMLButtonElement), async (button) => {
  if (await confirmIn(get('logout-all-dialog', HTMLDialogElement)))
    await act(button, '/authsvc/api/logout-all', {}, '/authsvc/login');
});
