import type { Parse } from './parse.ts';

const EXPECTED =
  'the address of an http or https proxy, without a path; percent-encode what is special in its password';

/**
 * A proxy for outgoing requests. `proxy.example.com:3128` without a scheme is an http proxy, as other programs take it.
 *
 * @returns the whole address, with credentials if there are any
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
