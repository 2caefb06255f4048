import { clearSite } from './clear-site.ts';
import { Elsewhere } from './elsewhere.ts';
import type { AuthsvcHelpers, SessionCheck } from './globals.d.ts';
import { logOut } from './log-out.ts';

const patienceMs = 10_000;

async function checkSession(): Promise<SessionCheck> {
  const response = await fetch('/authsvc/api/checkSession', {
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(patienceMs),
  });
  if (response.status === 404) throw new Elsewhere();
  if (!response.ok) throw new Error(`authsvc answered ${response.status}, which says nothing of the session`);
  const body: { session_valid?: unknown; expiry?: unknown } | null = await response.json().catch(() => null);
  if (typeof body?.session_valid !== 'boolean') throw new Elsewhere();
  return { session_valid: body.session_valid, expiry: typeof body.expiry === 'string' ? body.expiry : null };
}

function getCookieValue(name: string): string | undefined {
  for (const pair of document.cookie.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    try {
      return decodeURIComponent(value);
    } catch {
      return value;
    }
  }
  return undefined;
}

function loadpage(address: string): void {
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`not an http or https address: ${address}`);
  location.assign(url.href);
}

function formatDate(date: Date | string | number): string {
  const instant = new Date(date);
  if (Number.isNaN(instant.getTime())) return '';
  const [language] = Intl.DateTimeFormat.supportedLocalesOf(document.documentElement.lang || navigator.language);
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(instant);
}

function reloadPage(): void {
  location.reload();
}

async function nuclearCacheClear(): Promise<void> {
  await clearSite();
  reloadPage();
}

const helpers: AuthsvcHelpers = {
  logout: logOut,
  logoutuser: logOut,
  nuclearCacheClear,
  getCookieValue,
  loadpage,
  formatDate,
  reloadPage,
  checkSession,
};
Object.assign(globalThis, helpers);
