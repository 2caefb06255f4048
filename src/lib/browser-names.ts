import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';

/** The names of a browser and its operating system, or null where they are unknown. */
export interface BrowserNames {
  /** Name and main version, such as `Firefox 128`. */
  browser: string | null;
  /** The operating system, such as `Linux`. */
  system: string | null;
}

/**
 * The browsers that Bowser knows. For any other program, Bowser returns a part of the header itself, which must not
 * be shown.
 */
const knownBrowsers = new Set<string | undefined>(Object.values(Bowser.BROWSER_MAP));

export type BrowserReader = (userAgent: string) => BrowserNames;

const MAX_KEPT = 200;

/**
 * Creates a function that parses User-Agent headers and caches the latest results. Parsing one header takes as long
 * as rendering a small page.
 */
export function createBrowserReader(): BrowserReader {
  const known = new LRUCache<string, BrowserNames>({ max: MAX_KEPT });
  return (userAgent) => {
    const names = known.get(userAgent) ?? browserNames(userAgent);
    known.set(userAgent, names);
    return names;
  };
}

/** Parses a User-Agent header. The names contain no unknown part of the header. */
export function browserNames(userAgent: string): BrowserNames {
  if (userAgent === '') return { browser: null, system: null };
  const { browser, os } = Bowser.parse(userAgent);
  const [version = ''] = /^\d{1,4}/.exec(browser.version ?? '') ?? [];
  const name = knownBrowsers.has(browser.name) ? `${browser.name} ${version}`.trim() : null;
  return { browser: name, system: os.name || null };
}
