import type { Parse } from './parse.ts';

const EXPECTED =
  'the address of an http or https proxy, without a path; percent-encode what is special in its password';

/**
 * Parses the address of a proxy for outgoing requests. An address without a scheme, such as `proxy.example.com:3128`,
 * is an http proxy, as in other programs.
 *
 * @returns the whole URL, with credentials if there are any
 */
export const parseProxy: Parse<string> = (text) => {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) throw new Error(EXPECTED);
  const { protocol, pathname, search, hash, username, password, href } = new URL(address);
  const isBare = /^https?:$/.test(protocol) && pathname === '/' && !search && !hash;
  if (!isBare || !isDecodable(username) || !isDecodable(password)) throw new Error(EXPECTED);
  return href;
};

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
