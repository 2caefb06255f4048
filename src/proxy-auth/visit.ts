import type { IncomingHttpHeaders } from 'node:http';

const HTML = /(^|[\s,])text\/html\b/i;

/** Returns whether a browser opens a page. Only then can the answer be a redirect to the login page. */
export function isNavigation(method: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', upgrade = '' } = headers;
  const isRead = method === 'GET' || method === 'HEAD';
  const isScript = headers['x-requested-with'] !== undefined || mode !== 'navigate';
  return isRead && HTML.test(headers.accept ?? '') && !isScript && upgrade.toLowerCase() !== 'websocket';
}

/**
 * Returns whether a browser submitted a form. A redirect would lose the content of the form, so the answer is a
 * page.
 */
export const isFormPost = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'POST' && isNavigation('GET', headers);

/**
 * Returns whether the client is a program, such as git, and not a browser. Such a program sends credentials only
 * after a challenge. A browser would open a password dialog instead.
 */
export const isProgram = (headers: IncomingHttpHeaders): boolean =>
  !Object.keys(headers).some((name) => /^(cookie|origin|x-requested-with|sec-fetch-.*)$/.test(name));
