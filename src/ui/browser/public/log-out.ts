import { type MainScriptTexts, mainScriptTexts } from '../../texts/main-script.ts';
import { checkSession } from './check-session.ts';
import { clearSite } from './clear-site.ts';
import { Elsewhere } from './elsewhere.ts';

const home = '/';
const tokenPage = '/authsvc/login';
const logoutAddress = '/authsvc/api/logout';
const patienceMs = 30_000;

/** Returns whether a cookie is the one that stores the last sign-in method. That cookie stays after a sign-out. */
const isSignInHint = (name: string): boolean => name.endsWith('last_login_method');

function textsOfPage(): MainScriptTexts {
  const language = document.documentElement.lang.toLowerCase().split('-')[0] || navigator.language.split('-')[0];
  return language === 'de' ? mainScriptTexts.de : mainScriptTexts.en;
}

/**
 * Fetches a CSRF token for this browser from the sign-in page. The page has one even if the visitor is signed in.
 *
 * @returns undefined if authsvc cannot show the page to this browser now
 * @throws Elsewhere if this host has no sign-in page of authsvc
 */
async function fetchToken(): Promise<string | undefined> {
  const response = await fetch(tokenPage, {
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(patienceMs),
  });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const token = page.querySelector<HTMLInputElement>('input[name="_csrf"]')?.value;
  if (!token && (response.ok || response.status === 404)) throw new Elsewhere();
  return response.ok ? token : undefined;
}

interface Outcome {
  success?: unknown;
  code?: unknown;
  message?: unknown;
}

/**
 * Ends the session.
 *
 * @returns why the person is still signed in; undefined if the person is signed out
 * @throws Elsewhere if the reply is not from authsvc. The status alone proves no success, so the content is checked
 */
async function endSession(token: string): Promise<string | undefined> {
  const response = await fetch(logoutAddress, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ _csrf: token }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const outcome: Outcome | null = await response.json().catch(() => null);
  const isOurs = typeof outcome?.success === 'boolean' && typeof outcome.message === 'string';
  if (response.ok && isOurs && outcome.success === true) return undefined;
  if (outcome?.code === 'NOT_LOGGED_IN') return undefined;
  if (response.ok) throw new Elsewhere();
  return isOurs ? String(outcome.message) : textsOfPage().failed;
}

/**
 * Checks that authsvc runs on this host. Another program might also have a sign-in page with a token.
 *
 * @throws Elsewhere if another program answers
 */
async function requireService(): Promise<void> {
  await checkSession().catch((error: unknown) => {
    if (error instanceof Elsewhere) throw error;
  });
}

/** Clears the storage of the site, then ends the session. It clears nothing before authsvc has answered. */
async function clearAndEnd(): Promise<string | undefined> {
  const token = await fetchToken();
  if (token === undefined) return textsOfPage().failed;
  await requireService();
  await clearSite(isSignInHint);
  return endSession(token);
}

/** Asks the person, clears the storage of the site, ends the session and goes to the home page. */
export async function logOut(): Promise<boolean> {
  const texts = textsOfPage();
  if (!confirm(texts.question)) return false;
  const refusal = await clearAndEnd().catch((error: unknown) => {
    if (!(error instanceof Elsewhere)) return texts.unreachable;
    reportError(error);
    return texts.elsewhere;
  });
  if (refusal !== undefined) {
    alert(refusal);
    return false;
  }
  location.assign(home);
  return true;
}
