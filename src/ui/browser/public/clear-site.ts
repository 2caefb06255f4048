import { rememberedNameKey } from '../lib/remembered-name.ts';

const patienceMs = 3000;

async function removeServiceWorkers(): Promise<void> {
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(registrations.map((registration) => registration.unregister()));
}

async function emptyCacheStorage(): Promise<void> {
  if (!('caches' in globalThis)) return;
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
}

function emptyStorage(storage: Storage): void {
  const name = storage.getItem(rememberedNameKey);
  storage.clear();
  if (name !== null) storage.setItem(rememberedNameKey, name);
}

/**
 * Deletes a database of the browser. If another tab has it open, the browser deletes it once that tab closes it, and this
 * function does not wait for that.
 */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => resolve();
    request.onblocked = () => resolve();
  });
}

async function deleteDatabases(): Promise<void> {
  const databases = await indexedDB.databases();
  await Promise.all(databases.map(({ name }) => (name ? deleteDatabase(name) : undefined)));
}

/** Returns the cookie paths from a path up to the root: for `/a/b` these are `/a/b`, `/a/b/`, `/a`, `/a/` and `/`. */
function pathsAbove(path: string): string[] {
  const parts = path.split('/').filter(Boolean);
  const folders = parts.flatMap((_part, index) => {
    const folder = `/${parts.slice(0, index + 1).join('/')}`;
    return [folder, `${folder}/`];
  });
  return ['/', ...folders];
}

/** Returns this host and the domains above it, because a cookie may have been set for any of them (RFC 6265 §5.1.3). */
function domainsAbove(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join('.'));
}

function expireCookie(name: string): void {
  const end = `${name}=; expires=Thu, 01 Jan 1970 00:00:00 GMT; max-age=0`;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  const domains = ['', ...domainsAbove(location.hostname).map((domain) => `; domain=${domain}`)];
  for (const path of pathsAbove(location.pathname)) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
    for (const domain of domains) document.cookie = `${end}; path=${path}${domain}${secure}`;
  }
}

function expireCookies(keepsCookie: (name: string) => boolean): void {
  for (const pair of document.cookie.split(';')) {
    const name = pair.split('=')[0]?.trim();
    if (name && !keepsCookie(name)) expireCookie(name);
  }
}

/**
 * Clears the browser's storage of this site, except the remembered username. If the browser refuses to clear one kind of
 * storage, or never finishes, the other kinds are cleared anyway.
 */
export async function clearSite(keepsCookie = (_name: string): boolean => false): Promise<void> {
  const parts = [
    removeServiceWorkers,
    emptyCacheStorage,
    async () => emptyStorage(localStorage),
    async () => emptyStorage(sessionStorage),
    deleteDatabases,
    async () => expireCookies(keepsCookie),
  ];
  const done = Promise.allSettled(parts.map((clear) => clear()));
  await Promise.race([done, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
}
