import { checkSession } from './check-session.ts';
import { clearSite } from './clear-site.ts';
import type { AuthsvcHelpers } from './globals.d.ts';
import { logOut } from './log-out.ts';

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
