import { type MainScriptTexts, mainScriptTexts } from '../../texts/main-script.ts';
import { clearSite } from './clear-site.ts';

const home = '/';
const tokenPage = '/authsvc/login';
const logoutAddress = '/authsvc/api/logout';
const patienceMs = 30_000;

/** The cookie by which the sign-in page marks the way that was used last: it is for the time after a logout. */
const isSignInHint = (name: string): boolean => name.endsWith('last_login_method');

function textsOfPage(): MainScriptTexts {
  const language = document.documentElement.lang.toLowerCase().split('-')[0] || navigator.language.split('-')[0];
  return language === 'de' ? mainScriptTexts.de : mainScriptTexts.en;
}

/** A CSRF token for this browser: the sign-in page holds one, and is not counted for who is signed in. */
async function fetchToken(): Promise<string> {
  const response = await fetch(tokenPage, {
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(patienceMs),
  });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return page.querySelector<HTMLInputElement>('input[name="_csrf"]')?.value ?? '';
}

/** Why the person is still signed in; undefined when nobody is any more. */
async function endSession(token: string): Promise<string | undefined> {
  const response = await fetch(logoutAddress, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ _csrf: token }),
    signal: AbortSignal.timeout(patienceMs),
  });
  if (response.ok) return undefined;
  const refusal: { code?: unknown; message?: unknown } = await response.json();
  if (refusal.code === 'NOT_LOGGED_IN') return undefined;
  return typeof refusal.message === 'string' ? refusal.message : textsOfPage().failed;
}

/** Asks, clears, ends the session and goes home. Nothing is cleared before the service was reached. */
export async function logOut(): Promise<boolean> {
  const texts = textsOfPage();
  if (!confirm(texts.question)) return false;
  let refusal: string | undefined;
  try {
    const token = await fetchToken();
    await clearSite(isSignInHint);
    refusal = await endSession(token);
  } catch {
    refusal = texts.unreachable;
  }
  if (refusal !== undefined) {
    alert(refusal);
    return false;
  }
  location.assign(home);
  return true;
}
