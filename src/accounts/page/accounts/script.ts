import { confirmIn } from '../../../ui/browser/lib/dialog.ts';
import { find, get } from '../../../ui/browser/lib/dom.ts';
import { clearMessages, isBusy, setBusy, showRefusal } from '../../../ui/browser/lib/form.ts';
import { leaveNotice } from '../../../ui/browser/lib/notice.ts';
import { isSignedOut, postJson } from '../../../ui/browser/lib/post-json.ts';
import { forgetName } from '../../../ui/browser/lib/remembered-name.ts';
import { fill, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const card = get('accounts', HTMLElement);
const destination = card.dataset.redirect ?? '/authsvc/';
const onward = `?redirect=${encodeURIComponent(destination)}`;
const notice = get('form-error', HTMLElement);
const hasOthers = document.querySelector('button[data-switch]') !== null;

async function switchTo(button: HTMLButtonElement): Promise<void> {
  clearMessages(card);
  setBusy(button, texts.working);
  const outcome = await postJson('/authsvc/api/switch-session', {
    session_id: button.dataset.switch,
    redirect: destination,
  });
  if (outcome.kind !== 'done') {
    showRefusal(notice, button, outcome);
    return;
  }
  const { redirect } = outcome.body;
  location.assign(typeof redirect === 'string' ? redirect : destination);
}

interface Way {
  path: string;
  next: string;
  done: string;
  forgetsName?: boolean;
}

async function logOut(button: HTMLButtonElement, { path, next, done, forgetsName }: Way): Promise<void> {
  if (!(await confirmIn(get(`${button.id}-dialog`, HTMLDialogElement)))) return;
  clearMessages(card);
  setBusy(button, texts.working);
  const outcome = await postJson(path, {});
  if (outcome.kind !== 'done' && !isSignedOut(outcome)) return showRefusal(notice, button, outcome);
  if (forgetsName) forgetName();
  leaveNotice(done);
  location.assign(next);
}

/**
 * Returns the notice for the next page after a sign-out. It names the person, or is '' if several people were signed
 * out.
 */
function signedOut({ dataset: { username: name } }: HTMLButtonElement): string {
  return name ? fill(texts.loggedOut, { name }) : '';
}

function onPress(button: HTMLButtonElement | undefined, act: (button: HTMLButtonElement) => Promise<void>): void {
  button?.addEventListener('click', (event) => {
    event.preventDefault();
    if (!isBusy(button)) void act(button);
  });
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-switch]')) onPress(button, switchTo);
onPress(find('logout', HTMLButtonElement), (button) =>
  logOut(button, {
    path: '/authsvc/api/logout',
    next: hasOthers ? `/authsvc/accounts${onward}` : `/authsvc/login${onward}`,
    done: signedOut(button),
  }),
);
onPress(find('logout-all', HTMLButtonElement), (button) =>
  logOut(button, {
    path: '/authsvc/api/logout-all',
    next: `/authsvc/login${onward}`,
    done: signedOut(button) || texts.allLoggedOut,
    forgetsName: true,
  }),
);
