import type { IncomingHttpHeaders } from 'node:http';

const HTML = /(^|[\s,])text\/html\b/i;

/** Whether a browser goes to an address by itself, so that it can be sent to the login page. */
export function isNavigation(method: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', upgrade = '' } = headers;
  const isRead = method === 'GET' || method === 'HEAD';
  const isScript = headers['x-requested-with'] !== undefined || mode !== 'navigate';
  return isRead && HTML.test(headers.accept ?? '') && !isScript && upgrade.toLowerCase() !== 'websocket';
}

/** Whether a form was sent by a browser: a redirect would lose what it holds, so the answer is a page. */
export const isFormPost = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'POST' && isNavigation('GET', headers);

/** Whether a program asks, which sends credentials only to who asks for them; a browser would open a dialog. */
export const isProgram = (headers: IncomingHttpHeaders): boolean =>
  !Object.keys(headers).some((name) => /^(cookie|origin|x-requested-with|sec-fetch-.*)$/.test(name));
