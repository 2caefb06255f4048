import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';

/** A browser in words, as far as they are known. */
export interface BrowserNames {
  /** Name and main version, such as `Firefox 128`. */
  browser: string | null;
  /** The operating system, such as `Linux`. */
  system: string | null;
}

/** For a program that it does not know, Bowser returns what the header says. */
const knownBrowsers = new Set<string | undefined>(Object.values(Bowser.BROWSER_MAP));

export type BrowserReader = (userAgent: string) => BrowserNames;

const MAX_KEPT = 200;

/** Reads User-Agent headers, and keeps what the latest ones say: that takes as long as a small page. */
export function createBrowserReader(): BrowserReader {
  const known = new LRUCache<string, BrowserNames>({ max: MAX_KEPT });
  return (userAgent) => {
    const names = known.get(userAgent) ?? browserNames(userAgent);
    known.set(userAgent, names);
    return names;
  };
}

/** Reads a User-Agent header. The words never hold a part of a header that is not known. */
export function browserNames(userAgent: string): BrowserNames {
  if (userAgent === '') return { browser: null, system: null };
  const { browser, os } = Bowser.parse(userAgent);
  const [version = ''] = /^\d{1,4}/.exec(browser.version ?? '') ?? [];
  const name = knownBrowsers.has(browser.name) ? `${browser.name} ${version}`.trim() : null;
  return { browser: name, system: os.name || null };
}
