import type { IncomingHttpHeaders } from 'node:http';

const HTML = /(^|[\s,])text\/html\b/i;

/** Whether a browser opens a page, so that it can be redirected to the login page. */
export function isNavigation(method: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', upgrade = '' } = headers;
  const isRead = method === 'GET' || method === 'HEAD';
  const isScript = headers['x-requested-with'] !== undefined || mode !== 'navigate';
  return isRead && HTML.test(headers.accept ?? '') && !isScript && upgrade.toLowerCase() !== 'websocket';
}

/** Whether a browser sent a form. A redirect would lose its content, so the answer is a page. */
export const isFormPost = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'POST' && isNavigation('GET', headers);

/** Whether the client is a program that sends credentials only after a challenge. A browser would open a dialog. */
export const isProgram = (headers: IncomingHttpHeaders): boolean =>
  !Object.keys(headers).some((name) => /^(cookie|origin|x-requested-with|sec-fetch-.*)$/.test(name));
