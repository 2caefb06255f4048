import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Settings } from '../settings/table.ts';
import { accentSheet } from './accent.ts';
import { type FoundFile, fileTypes, findHashed, type HashedFile } from './assets.ts';

/** A file of the brand that this service serves to the pages. */
export interface KeptFile {
  address: string;
  type: string;
}

/**
 * The operator's changes to the look of the pages. The URLs of its files contain a hash of the content, so browsers may
 * cache them forever.
 */
export interface Brand {
  /** The URL of a style sheet that is loaded after the default one. */
  styles: string | undefined;
  /** The same style sheet as text, for pages that load no style sheet; empty if the operator changes no styles. */
  inlineStyles: string;
  /**
   * An image that replaces the logo. If `hasName` is true, it replaces the name beside the logo too. `dark` is the image
   * for the dark theme.
   */
  logo: (KeptFile & { hasName: boolean; dark: KeptFile | undefined }) | undefined;
  /** Whether the operator has changed the look of the pages. */
  isOwn: boolean;
  /** Images that replace the logos of the providers, by provider name. */
  providerLogos: Record<string, KeptFile | undefined>;
  /** Finds a file by its name with the hash. */
  file(name: string): FoundFile | undefined;
}

type BrandSettings = Pick<
  Settings,
  'BRAND_NAME' | 'BRAND_ACCENT' | 'BRAND_LOGO' | 'BRAND_LOGO_DARK' | 'BRAND_LOGO_HAS_NAME' | 'identityProviders'
>;

function hashedName(stem: string, ending: string, content: Buffer): string {
  return `${stem}.${createHash('sha256').update(content).digest('hex').slice(0, 8)}${ending}`;
}

/**
 * Reads the files that the settings name. Throws the error of the file system if a file was removed after the settings
 * were checked.
 */
export function createBrand(settings: BrandSettings): Brand {
  const { BRAND_NAME, BRAND_ACCENT, BRAND_LOGO, BRAND_LOGO_DARK, BRAND_LOGO_HAS_NAME, identityProviders } = settings;
  const files = new Map<string, HashedFile>();
  const keep = (stem: string, ending: string, content: Buffer): KeptFile => {
    const type = fileTypes[ending] ?? 'application/octet-stream';
    const name = hashedName(stem, ending, content);
    files.set(stem + ending, { name, content, type });
    return { address: `/authsvc/brand/${name}`, type };
  };
  const keepLogo = (stem: string, path: string | undefined) =>
    path === undefined ? undefined : keep(stem, extname(path).toLowerCase(), readFileSync(path));
  const logo = keepLogo('logo', BRAND_LOGO);
  const dark = keepLogo('logo-dark', BRAND_LOGO_DARK);
  const inlineStyles = BRAND_ACCENT ? accentSheet(BRAND_ACCENT) : '';
  return {
    styles: BRAND_ACCENT && keep('accent', '.css', Buffer.from(inlineStyles)).address,
    inlineStyles,
    logo: logo && { ...logo, hasName: BRAND_LOGO_HAS_NAME, dark },
    isOwn: [BRAND_NAME, BRAND_ACCENT, BRAND_LOGO].some((setting) => setting !== undefined),
    providerLogos: Object.fromEntries(
      identityProviders.map(({ name, logo: path }) => [name, keepLogo(`provider-${name}`, path)]),
    ),
    file: (name) => findHashed(name, (plain) => files.get(plain)),
  };
}
